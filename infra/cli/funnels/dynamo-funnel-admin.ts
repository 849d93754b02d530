import { type DynamoDBDocumentClient, GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import {
  definitionKey,
  funnelKey,
  organizationFunnelKey,
  uploadBlockKey,
  versionKey,
} from '../../../shared/funnels/aws/keys.ts';
import { FunnelVersion } from '../../../shared/funnels/funnel.ts';
import { UploadBlock } from '../../../shared/funnels/upload-block.ts';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import type { PrimaryKey } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { FunnelDefinition } from './definition/funnel-definition.ts';
import { ifUnchangedSince, putIf, updateIf } from './dynamo-conditional-writes.ts';
import { type FunnelAdminRepository, FunnelRecord, VersionSource, type VersionSummary } from './funnel-admin.ts';

/**
 * Funnels in the directory table. A version's file is stored with it as JSON text, so that it is exported unchanged.
 */
export function createDynamoFunnelAdminRepository(client: DynamoDBDocumentClient): FunnelAdminRepository {
  const read: Read = async (at) => {
    const get = new GetCommand({ TableName: requireSetting('directoryTable'), Key: at, ConsistentRead: true });
    return (await client.send(get)).Item;
  };
  const put: Put = async (at, item, condition) =>
    (await undefinedIfConditionFailed(client.send(putIf(at, item, condition)))) !== undefined;
  const change: Change = async (at, to, condition) =>
    (await undefinedIfConditionFailed(client.send(updateIf(at, to, condition)))) !== undefined;
  return {
    ...funnelRecords({ read, put, change }),
    ...versionRecords({ read, put, change }),
    versions: (funnelId) => versionsIn(client, funnelId),
    block: async (orgId, blockId) => {
      const record = await read(uploadBlockKey(orgId, blockId));
      return record && (record.kind === 'upload' ? UploadBlock.parse(record) : 'other');
    },
    putBlock: async (orgId, block) => {
      const expression = 'attribute_not_exists(pk) OR (kind = :kind AND funnelId = :funnelId)';
      const values = { ':kind': block.kind, ':funnelId': block.funnelId };
      if (await put(uploadBlockKey(orgId, block.id), block, { expression, values })) return;
      throw new Error(`The id ${block.id} is used by something other than an upload block of this funnel.`);
    },
  };
}

type Read = (at: PrimaryKey) => Promise<Record<string, unknown> | undefined>;
/** @returns whether the condition held */
type Put = (...write: Parameters<typeof putIf>) => Promise<boolean>;
type Change = (...write: Parameters<typeof updateIf>) => Promise<boolean>;
type Records = { read: Read; put: Put; change: Change };

const funnelRecords = ({
  read,
  put,
  change,
}: Records): Pick<FunnelAdminRepository, 'find' | 'add' | 'draft' | 'publish' | 'updateStatus'> => ({
  find: async (funnelId) => z.optional(FunnelRecord).parse(await read(funnelKey(funnelId))),
  // Writes the funnel last: an entry without a funnel was not created completely, and a listed funnel is complete.
  add: async (funnel, draft) => {
    await put(definitionKey(funnel.id, 'draft'), { file: JSON.stringify(draft) });
    await put(organizationFunnelKey(funnel.orgId, funnel.id), { orgId: funnel.orgId, funnelId: funnel.id });
    await put(funnelKey(funnel.id), funnel);
  },
  draft: async (funnelId) => fileIn(await read(definitionKey(funnelId, 'draft'))),
  publish: (funnelId, from, { versionId, settings, at }) => {
    const { name, allowedOrigins, leadRetentionDays, verification, limits } = settings;
    const published = { publishedVersionId: versionId, publishedAt: at, unpublishedAt: null };
    const to = { name, allowedOrigins, leadRetentionDays, verification, limits, ...published };
    return change(funnelKey(funnelId), to, ifUnchangedSince(from));
  },
  updateStatus: (funnelId, from, to) => change(funnelKey(funnelId), to, ifUnchangedSince(from)),
});

/** Operators may publish any version. Only the public routes check whether visitors may use it. */
const Version = z.omit(FunnelVersion, { isCandidate: true });

const versionRecords = ({
  read,
  put,
  change,
}: Records): Pick<FunnelAdminRepository, 'version' | 'source' | 'addVersion' | 'markPublished'> => ({
  version: async (funnelId, versionId) => z.optional(Version).parse(await read(versionKey(funnelId, versionId))),
  source: async (funnelId, versionId) => {
    const record = await read(definitionKey(funnelId, versionId));
    return record && VersionSource.parse({ ...record, file: fileIn(record) });
  },
  // Writes the source first, so that every version can be recreated from it.
  addVersion: async (version, { file, blocks }, { at, previous }) => {
    const made = { file: JSON.stringify(file), blocks, createdAt: at, previousVersionId: previous };
    await put(definitionKey(version.funnelId, version.id), made);
    await put(versionKey(version.funnelId, version.id), { ...version, isCandidate: true });
  },
  // Marks the version as valid before it writes the time: the time shows that both writes are done.
  markPublished: async (funnelId, versionId, at) => {
    await change(versionKey(funnelId, versionId), { isCandidate: false }, { expression: 'attribute_exists(pk)' });
    const expression = 'attribute_exists(pk) AND attribute_not_exists(#publishedAt)';
    await change(definitionKey(funnelId, versionId), { publishedAt: at }, { expression });
  },
});

const fileIn = (record: Record<string, unknown> | undefined): FunnelDefinition | undefined =>
  record && FunnelDefinition.parse(JSON.parse(String(record.file)));

const Made = z.object({
  sk: z.string(),
  createdAt: z.optional(z.string()),
  publishedAt: z.optional(z.string()),
  previousVersionId: z.nullish(z.string()),
});

async function versionsIn(client: DynamoDBDocumentClient, funnelId: string): Promise<VersionSummary[]> {
  const { pk } = funnelKey(funnelId);
  const query = {
    TableName: requireSetting('directoryTable'),
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    // Omits large attributes: a response page holds a megabyte of records, regardless of the projection.
    ProjectionExpression: 'sk, createdAt, publishedAt, previousVersionId',
    ConsistentRead: true,
  };
  const [files, ids] = [new Map<string, z.output<typeof Made>>(), [] as string[]];
  const idIn = (sk: string, { sk: prefix }: PrimaryKey) =>
    sk.startsWith(prefix) ? sk.slice(prefix.length) : undefined;
  for await (const { Items = [] } of paginateQuery({ client }, query)) {
    for (const made of Items.map((item) => Made.parse(item))) {
      const [id, fileOf] = [idIn(made.sk, versionKey(funnelId, '')), idIn(made.sk, definitionKey(funnelId, ''))];
      if (id !== undefined) ids.push(id);
      if (fileOf !== undefined) files.set(fileOf, made);
    }
  }
  return ids.map((id) => {
    const made = files.get(id);
    const times = { createdAt: made?.createdAt, publishedAt: made?.publishedAt };
    return { id, ...times, previousVersionId: made?.previousVersionId ?? null };
  });
}
