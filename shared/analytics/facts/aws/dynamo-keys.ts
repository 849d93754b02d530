import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../../platform/settings.ts';

/**
 * What waits for a compaction: items of fresh facts for a minor one, manifests with amendments for a major one. And the
 * erased sessions and leads, which wait for what comes late of them.
 */
export type PendingKind = 'fresh' | 'amendments' | 'erased' | 'erased-leads';

/** So many partitions of the index share the writes of one busy funnel. */
const INDEX_SHARDS = 8;

/** All that the index holds. */
const PendingKey = z.object({ pk: z.string(), sk: z.string(), waitingSince: z.number() });
export type WaitingKey = z.output<typeof PendingKey>;

const PREFIX = 'funnel#';
export const partitionKey = (funnelId: string) => `${PREFIX}${funnelId}`;
export const itemKey = (funnelId: string, sk: string) => ({ pk: partitionKey(funnelId), sk });

/** What the sort keys of fresh items and of erased sessions begin with; in a funnel's partition nothing lies between. */
export const FRESH_PREFIX = 'fresh#';
export const ERASED_PREFIX = 'erased#';
export const sessionKeyFromSortKey = (sk: string): bigint => BigInt(sk.slice(ERASED_PREFIX.length));

/** Behind both, so that a read of fresh facts does not meet them. */
export const LEAD_PREFIX = 'named#';
export const leadIdFromSortKey = (sk: string): string => sk.slice(LEAD_PREFIX.length);

export const funnelIdFromPartitionKey = (pk: string): string => pk.slice(PREFIX.length);

/** The attributes that put an item into the index. @param anyByte spreads items over the shards */
export const pendingIndexAttributes = (what: PendingKind, anyByte: number, sinceMs: number) => ({
  waitingShard: `${what}#${anyByte % INDEX_SHARDS}`,
  waitingSince: sinceMs,
});

/** The keys of everything that waits, eventually consistent. */
export async function listPendingKeys(what: PendingKind): Promise<WaitingKey[]> {
  const keys: WaitingKey[] = [];
  await forEachPendingKey(what, (key) => keys.push(key));
  return keys;
}

/** The same one by one, in no order: after a long failure there may be millions, which no memory should hold. */
export async function forEachPendingKey(what: PendingKind, see: (key: WaitingKey) => void): Promise<void> {
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

/** The items that a query of the analytics table finds, page by page to the last one. */
export async function* queryPages(
  query: Omit<QueryCommandInput, 'TableName'>,
): AsyncGenerator<Record<string, unknown>[]> {
  const pages = paginateQuery(
    { client: dynamoDocumentClient() },
    { ...query, TableName: requireSetting('analyticsTable') },
  );
  for await (const { Items = [] } of pages) yield Items;
}
