import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../../platform/settings.ts';

/**
 * What the pending index lists: fresh facts (for minor compactions), manifests with level 1 files (`amendments`, for
 * major compactions), and tombstones of sessions and leads (for late events).
 */
export type PendingKind = 'fresh' | 'amendments' | 'erased' | 'erased-leads';

/** Partitions of the index, which share the writes of a busy funnel. */
const INDEX_SHARDS = 8;

/** The attributes of the index. */
const PendingKey = z.object({ pk: z.string(), sk: z.string(), waitingSince: z.number() });
export type PendingIndexKey = z.output<typeof PendingKey>;

const PREFIX = 'funnel#';
export const partitionKey = (funnelId: string) => `${PREFIX}${funnelId}`;
export const itemKey = (funnelId: string, sk: string) => ({ pk: partitionKey(funnelId), sk });

/** Sort key prefixes of session tombstones and fresh items. They are adjacent: one query reads both. */
export const FRESH_PREFIX = 'fresh#';
export const ERASED_PREFIX = 'erased#';
export const sessionKeyFromSortKey = (sk: string): bigint => BigInt(sk.slice(ERASED_PREFIX.length));

/** Lead tombstones sort after both, outside of that query. */
export const LEAD_PREFIX = 'named#';
export const leadIdFromSortKey = (sk: string): string => sk.slice(LEAD_PREFIX.length);

export const funnelIdFromPartitionKey = (pk: string): string => pk.slice(PREFIX.length);

/** The attributes that add an item to the pending index. @param anyByte spreads items over the shards */
export const pendingIndexAttributes = (what: PendingKind, anyByte: number, sinceMs: number) => ({
  waitingShard: `${what}#${anyByte % INDEX_SHARDS}`,
  waitingSince: sinceMs,
});

/** All keys of a kind in the pending index; eventually consistent. */
export async function listPendingKeys(what: PendingKind): Promise<PendingIndexKey[]> {
  const keys: PendingIndexKey[] = [];
  await forEachPendingKey(what, (key) => keys.push(key));
  return keys;
}

/** Calls `see` for each key, in no order. After a long failure there may be millions, too many to hold in memory. */
export async function forEachPendingKey(what: PendingKind, see: (key: PendingIndexKey) => void): Promise<void> {
  const seeShard = async (shard: number) => {
    const pages = queryPages({
      IndexName: 'waiting',
      KeyConditionExpression: 'waitingShard = :shard',
      ExpressionAttributeValues: { ':shard': `${what}#${shard}` },
    });
    for await (const page of pages) for (const key of page) see(PendingKey.parse(key));
  };
  await Promise.all(Array.from({ length: INDEX_SHARDS }, (_, shard) => seeShard(shard)));
}

/** The pages of a query of the analytics table. */
export async function* queryPages(
  query: Omit<QueryCommandInput, 'TableName'>,
): AsyncGenerator<Record<string, unknown>[]> {
  const pages = paginateQuery(
    { client: dynamoDocumentClient() },
    { ...query, TableName: requireSetting('analyticsTable') },
  );
  for await (const { Items = [] } of pages) yield Items;
}
