import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../../platform/settings.ts';

/**
 * The kinds of pending items: fresh facts (for minor compactions), manifests with level 1 files (for major
 * compactions), and tombstones of sessions and leads (for late erasures). Tombstones stay in the index until their TTL,
 * because late events can arrive until then. Each value is the first part of stored shard names, so the values must not
 * change.
 */
const PENDING_SHARD_PREFIXES = {
  fresh: 'fresh',
  level1: 'amendments',
  sessionTombstones: 'erased',
  leadTombstones: 'erased-leads',
} as const;
export type PendingKind = keyof typeof PENDING_SHARD_PREFIXES;

/** The stored name of the index of pending items. Its attributes are `waitingShard` and `waitingSince`. */
const PENDING_INDEX = 'waiting';
/** Number of index partitions per kind. The writes of a busy funnel are spread over them. */
const PENDING_INDEX_SHARDS = 8;
const pendingShard = (kind: PendingKind, shard: number) => `${PENDING_SHARD_PREFIXES[kind]}#${shard}`;

const PendingKey = z.pipe(
  z.object({ pk: z.string(), sk: z.string(), waitingSince: z.number() }),
  z.transform(({ pk, sk, waitingSince }) => ({ pk, sk, sinceMs: waitingSince })),
);
export type PendingKey = z.output<typeof PendingKey>;

const PREFIX = 'funnel#';
export const partitionKey = (funnelId: string) => `${PREFIX}${funnelId}`;
export const itemKey = (funnelId: string, sk: string) => ({ pk: partitionKey(funnelId), sk });

/** Describes a fresh item in error messages. */
export const nameOfFacts = (funnelId: string, sk: string) => `The facts of the item ${sk} of the funnel ${funnelId}`;

/**
 * Sort key prefixes of fresh items and session tombstones. No other keys sort between them, so one query reads both.
 */
export const FRESH_PREFIX = 'fresh#';
export const SESSION_TOMBSTONE_PREFIX = 'erased#';
export const sessionKeyFromSortKey = (sk: string): bigint => BigInt(sk.slice(SESSION_TOMBSTONE_PREFIX.length));

/**
 * The sort key prefix of lead tombstones. They sort after fresh items, so that the query of session tombstones and
 * fresh items does not return them.
 */
export const LEAD_TOMBSTONE_PREFIX = 'named#';
export const leadIdFromSortKey = (sk: string): string => sk.slice(LEAD_TOMBSTONE_PREFIX.length);

export const funnelIdFromPartitionKey = (pk: string): string => pk.slice(PREFIX.length);

/** The attributes that add an item to the pending index. @param anyByte selects the shard */
export const pendingIndexAttributes = (kind: PendingKind, anyByte: number, sinceMs: number) => ({
  waitingShard: pendingShard(kind, anyByte % PENDING_INDEX_SHARDS),
  waitingSince: sinceMs,
});

/** Lists the keys of all pending items of a kind. Eventually consistent. */
export async function listPendingKeys(kind: PendingKind): Promise<PendingKey[]> {
  const keys: PendingKey[] = [];
  await forEachPendingKey(kind, (key) => keys.push(key));
  return keys;
}

/**
 * Calls `use` for each key, in any order. Does not collect the keys, because there may be millions after a long outage.
 */
export async function forEachPendingKey(kind: PendingKind, use: (key: PendingKey) => void): Promise<void> {
  const readShard = async (shard: number) => {
    const pages = queryPages({
      IndexName: PENDING_INDEX,
      KeyConditionExpression: 'waitingShard = :shard',
      ExpressionAttributeValues: { ':shard': pendingShard(kind, shard) },
    });
    for await (const page of pages) for (const key of page) use(PendingKey.parse(key));
  };
  await Promise.all(Array.from({ length: PENDING_INDEX_SHARDS }, (_, shard) => readShard(shard)));
}

export async function* queryPages(
  query: Omit<QueryCommandInput, 'TableName'>,
): AsyncGenerator<Record<string, unknown>[]> {
  const pages = paginateQuery(
    { client: dynamoDocumentClient() },
    { ...query, TableName: requireSetting('analyticsTable') },
  );
  for await (const { Items = [] } of pages) yield Items;
}
