import { createHash } from 'node:crypto';
import { GetCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../../platform/settings.ts';
import {
  EMPTY_MANIFEST,
  fileCreatedMs,
  isLevel1,
  type ListedFile,
  type NextManifest,
  type RetiredFile,
} from '../manifest.ts';
import type { ManifestRepository } from '../ports.ts';
import { funnelIdFromPartitionKey, itemKey, listPendingKeys, pendingIndexAttributes } from './dynamo-keys.ts';

/**
 * Maximum bytes of a manifest as JSON. The JSON is about a fifth longer than the item, so the item stays below
 * DynamoDB's limit of 409 600 bytes.
 */
const MANIFEST_BYTES_MAX = 400_000;

/** The property `factCount` is stored as the attribute `sessions`. */
const ListedFileItem = z.object({
  name: z.string(),
  level: z.enum(['base', '1']),
  sessions: z.number(),
  minTimeMs: z.number(),
  maxTimeMs: z.number(),
  // 64-bit session keys are stored as text, because the SDK returns DynamoDB numbers as doubles.
  minKey: z.pipe(
    z.string(),
    z.transform((text) => BigInt(text)),
  ),
  maxKey: z.pipe(
    z.string(),
    z.transform((text) => BigInt(text)),
  ),
  bytes: z.number(),
  sha256: z.string(),
  completeUntilMs: z.number(),
});
/** The property `purgeVersions` is stored as the attribute `forGood`. */
const RetiredFileItem = z.object({
  name: z.string(),
  retiredMs: z.number(),
  forGood: z.exactOptional(z.literal(true)),
});
const ManifestItem = z.object({
  version: z.int(),
  generation: z.int(),
  files: z.array(
    z.pipe(
      ListedFileItem,
      z.transform(({ sessions, ...file }): ListedFile => ({ ...file, factCount: sessions })),
    ),
  ),
  retired: z.array(
    z.pipe(
      RetiredFileItem,
      z.transform(({ forGood, ...file }): RetiredFile => ({ ...file, ...(forGood && { purgeVersions: forGood }) })),
    ),
  ),
});

const MANIFEST = 'manifest';

const listedFileItem = ({ factCount, ...file }: ListedFile): z.input<typeof ListedFileItem> => ({
  ...file,
  sessions: factCount,
  minKey: String(file.minKey),
  maxKey: String(file.maxKey),
});

const retiredFileItem = ({ purgeVersions, ...file }: RetiredFile): z.input<typeof RetiredFileItem> => ({
  ...file,
  ...(purgeVersions && { forGood: purgeVersions }),
});

/** A separate factory keeps the code for writes out of the bundles of functions that only read. */
export function createDynamoManifestReader(): Pick<ManifestRepository, 'read'> {
  return {
    read: async (funnelId) => {
      const key = itemKey(funnelId, MANIFEST);
      const { Item } = await dynamoDocumentClient().send(
        new GetCommand({ TableName: requireSetting('analyticsTable'), Key: key, ConsistentRead: true }),
      );
      return Item === undefined ? EMPTY_MANIFEST : ManifestItem.parse(Item);
    },
  };
}

export function createDynamoManifestRepository(): ManifestRepository {
  return {
    ...createDynamoManifestReader(),
    replaceIfUnchanged: async (funnelId, { version }, next) => {
      const put = new PutCommand({
        TableName: requireSetting('analyticsTable'),
        Item: {
          ...itemKey(funnelId, MANIFEST),
          ...manifestItem(funnelId, version + 1, next),
          ...indexAttributes(funnelId, next),
        },
        ConditionExpression: version === 0 ? 'attribute_not_exists(pk)' : '#version = :read',
        ...(version > 0 && {
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':read': version },
        }),
      });
      return (await undefinedIfConditionFailed(dynamoDocumentClient().send(put))) !== undefined;
    },
    listFunnelsWithLevel1Files: async () => {
      const keys = await listPendingKeys('level1');
      return keys.map(({ pk, sinceMs: oldestMs }) => ({ funnelId: funnelIdFromPartitionKey(pk), oldestMs }));
    },
  };
}

function manifestItem(funnelId: string, version: number, { generation, files, retired }: NextManifest) {
  const item = { version, generation, files: files.map(listedFileItem), retired: retired.map(retiredFileItem) };
  if (Buffer.byteLength(JSON.stringify(item)) > MANIFEST_BYTES_MAX)
    throw new Error(
      `The manifest of the funnel ${funnelId}, with ${files.length} files and ${retired.length} retired files, is too large for a DynamoDB item.`,
    );
  return item;
}

/** Only manifests with level 1 files are in the pending index. */
function indexAttributes(funnelId: string, { files }: NextManifest) {
  const createdMs = files.filter(isLevel1).map(fileCreatedMs);
  const shard = createHash('sha256').update(funnelId).digest().readUInt8();
  return createdMs.length === 0 ? {} : pendingIndexAttributes('level1', shard, Math.min(...createdMs));
}

/** Lists the funnels that have a manifest. Only for operator commands, because it scans the whole analytics table. */
export async function* listFunnelsWithManifest(): AsyncGenerator<string> {
  const keys = {
    TableName: requireSetting('analyticsTable'),
    FilterExpression: 'sk = :manifest',
    ExpressionAttributeValues: { ':manifest': MANIFEST },
    ProjectionExpression: 'pk',
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateScan({ client: dynamoDocumentClient() }, keys)) {
    for (const item of Items) yield funnelIdFromPartitionKey(z.object({ pk: z.string() }).parse(item).pk);
  }
}
