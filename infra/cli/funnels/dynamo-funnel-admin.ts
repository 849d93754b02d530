import { type DynamoDBDocumentClient, GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { FunnelVersion } from '../../../shared/funnels/funnel.ts';
import { UploadBlock } from '../../../shared/funnels/upload-block.ts';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import { key, type PrimaryKey } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { FunnelDefinition } from './definition/funnel-definition.ts';
import { ifUnchangedSince, putIf, updateIf } from './dynamo-conditional-writes.ts';
import { type FunnelAdminRepository, FunnelRecord, VersionSource, type VersionSummary } from './funnel-admin.ts';

/** Funnels in the directory table. A version's file lies beside it as JSON text, so that it comes back as it was written. */
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
      const record = await read(key.block(orgId, blockId));
      return record && (record.kind === 'upload' ? UploadBlock.parse(record) : 'other');
    },
    putBlock: async (orgId, block) => {
      const expression = 'attribute_not_exists(pk) OR (kind = :kind AND funnelId = :funnelId)';
      const values = { ':kind': block.kind, ':funnelId': block.funnelId };
      if (await put(key.block(orgId, block.id), block, { expression, values })) return;
      throw new Error(`The id ${block.id} stands for something else than an upload block of this funnel.`);
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
  find: async (funnelId) => z.optional(FunnelRecord).parse(await read(key.funnel(funnelId))),
  // The funnel last: what is listed without one was not made, and what was made is listed.
  add: async (funnel, draft) => {
    await put(key.funnelFile(funnel.id, 'draft'), { file: JSON.stringify(draft) });
    await put(key.orgFunnel(funnel.orgId, funnel.id), { orgId: funnel.orgId, funnelId: funnel.id });
    await put(key.funnel(funnel.id), funnel);
  },
  draft: async (funnelId) => fileIn(await read(key.funnelFile(funnelId, 'draft'))),
  publish: (funnelId, from, { versionId, settings, at }) => {
    const { name, allowedOrigins, leadRetentionDays, verification, limits } = settings;
    const published = { publishedVersionId: versionId, publishedAt: at, unpublishedAt: null };
    const to = { name, allowedOrigins, leadRetentionDays, verification, limits, ...published };
    return change(key.funnel(funnelId), to, ifUnchangedSince(from));
  },
  updateStatus: (funnelId, from, to) => change(key.funnel(funnelId), to, ifUnchangedSince(from)),
});

/** Whether it counts is the public routes' business alone: operators may publish any. */
const Version = z.omit(FunnelVersion, { isCandidate: true });

const versionRecords = ({
  read,
  put,
  change,
}: Records): Pick<FunnelAdminRepository, 'version' | 'source' | 'addVersion' | 'markPublished'> => ({
  version: async (funnelId, versionId) => z.optional(Version).parse(await read(key.version(funnelId, versionId))),
  source: async (funnelId, versionId) => {
    const record = await read(key.funnelFile(funnelId, versionId));
    return record && VersionSource.parse({ ...record, file: fileIn(record) });
  },
  // What it is made of first: whatever is a version can be made again.
  addVersion: async (version, { file, blocks }, { at, previous }) => {
    const made = { file: JSON.stringify(file), blocks, createdAt: at, previousVersionId: previous };
    await put(key.funnelFile(version.funnelId, version.id), made);
    await put(key.version(version.funnelId, version.id), { ...version, isCandidate: true });
  },
  // That it counts before when it began to: the latter tells that both are done.
  markPublished: async (funnelId, versionId, at) => {
    await change(key.version(funnelId, versionId), { isCandidate: false }, { expression: 'attribute_exists(pk)' });
    const expression = 'attribute_exists(pk) AND attribute_not_exists(#publishedAt)';
    await change(key.funnelFile(funnelId, versionId), { publishedAt: at }, { expression });
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
  const { pk } = key.funnel(funnelId);
  const query = {
    TableName: requireSetting('directoryTable'),
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    // Without what is large: a page of an answer is a megabyte of records, however little of them is asked for.
    ProjectionExpression: 'sk, createdAt, publishedAt, previousVersionId',
    ConsistentRead: true,
  };
  const [files, ids] = [new Map<string, z.output<typeof Made>>(), [] as string[]];
  const idIn = (sk: string, { sk: prefix }: PrimaryKey) =>
    sk.startsWith(prefix) ? sk.slice(prefix.length) : undefined;
  for await (const { Items = [] } of paginateQuery({ client }, query)) {
    for (const made of Items.map((item) => Made.parse(item))) {
      const [id, fileOf] = [idIn(made.sk, key.version(funnelId, '')), idIn(made.sk, key.funnelFile(funnelId, ''))];
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
