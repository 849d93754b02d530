import { createHash } from 'node:crypto';
import { GetCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { funnelOf, keyOf, keysWaiting, waiting } from './dynamo-waiting.ts';
import { isAmendment, type ListedFile, type Manifests, type NextManifest, NO_MANIFEST, writtenMs } from './manifest.ts';

/** DynamoDB refuses an item of more than 409 600 bytes; as JSON it is a fifth longer than as an item. */
const MANIFEST_BYTES_MAX = 400_000;

const ListedFileItem = z.object({
  name: z.string(),
  level: z.enum(['base', '1']),
  sessions: z.number(),
  minTimeMs: z.number(),
  maxTimeMs: z.number(),
  // Session keys take all 64 bits: as text, because a DynamoDB number comes back as a double.
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
const ManifestItem = z.object({
  version: z.int(),
  generation: z.int(),
  files: z.array(ListedFileItem),
  retired: z.array(z.object({ name: z.string(), retiredMs: z.number(), forGood: z.exactOptional(z.literal(true)) })),
});

const MANIFEST = 'manifest';

const itemOf = (file: ListedFile): z.input<typeof ListedFileItem> => ({
  ...file,
  minKey: String(file.minKey),
  maxKey: String(file.maxKey),
});

/** By itself, so that the bundle of a function that reads carries nothing that writes. */
export function dynamoManifestReader(): Pick<Manifests, 'read'> {
  return {
    read: async (funnelId) => {
      const key = keyOf(funnelId, MANIFEST);
      const { Item } = await dynamoDocumentClient().send(
        new GetCommand({ TableName: requireSetting('analyticsTable'), Key: key, ConsistentRead: true }),
      );
      return Item === undefined ? NO_MANIFEST : ManifestItem.parse(Item);
    },
  };
}

export function dynamoManifests(): Manifests {
  return {
    ...dynamoManifestReader(),
    commit: async (funnelId, { version }, next) => {
      const put = new PutCommand({
        TableName: requireSetting('analyticsTable'),
        Item: { ...keyOf(funnelId, MANIFEST), ...stored(version + 1, next), ...waitingSince(funnelId, next) },
        ConditionExpression: version === 0 ? 'attribute_not_exists(pk)' : '#version = :read',
        ...(version > 0 && {
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':read': version },
        }),
      });
      return (await undefinedIfConditionFailed(dynamoDocumentClient().send(put))) === undefined
        ? 'conflict'
        : 'committed';
    },
    amended: async () => {
      const keys = await keysWaiting('amendments');
      return keys.map(({ pk, waitingSince: oldestMs }) => ({ funnelId: funnelOf(pk), oldestMs }));
    },
  };
}

function stored(version: number, { generation, files, retired }: NextManifest) {
  const item = { version, generation, files: files.map(itemOf), retired };
  if (Buffer.byteLength(JSON.stringify(item)) > MANIFEST_BYTES_MAX)
    throw new Error(
      `A funnel's list of ${files.length} files and ${retired.length} retired ones is too long to be stored.`,
    );
  return item;
}

/** Only with files of level 1 does a manifest stand in the index. */
function waitingSince(funnelId: string, { files }: NextManifest) {
  const since = files.filter(isAmendment).map(writtenMs);
  const shard = createHash('sha256').update(funnelId).digest().readUInt8();
  return since.length === 0 ? {} : waiting('amendments', shard, Math.min(...since));
}

/**
 * The funnels that have a manifest. It reads the keys of the whole analytics table, for which no index is kept: a
 * person waits for it, no request.
 */
export async function* dynamoManifestFunnels(): AsyncGenerator<string> {
  const keys = {
    TableName: requireSetting('analyticsTable'),
    FilterExpression: 'sk = :manifest',
    ExpressionAttributeValues: { ':manifest': MANIFEST },
    ProjectionExpression: 'pk',
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateScan({ client: dynamoDocumentClient() }, keys)) {
    for (const item of Items) yield funnelOf(z.object({ pk: z.string() }).parse(item).pk);
  }
}
