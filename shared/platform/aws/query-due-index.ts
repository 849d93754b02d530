import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { DUE_INDEX_SHARDS, formatDueAt } from '../due-index.ts';
import { requireSetting, type SettingName } from '../settings.ts';
import { dynamoDocumentClient } from './dynamo-client.ts';

const Keys = z.array(z.object({ pk: z.string(), sk: z.string(), dueAt: z.string() }));

/**
 * Returns the keys of due items in a table's sparse index `due`, sorted by due time. Eventually consistent. Reads at
 * most an equal part of `limit` from each shard. The result is therefore not always the oldest items of all shards.
 *
 * @param shardName returns the index key of a shard; shards are numbered from 0 to `DUE_INDEX_SHARDS` - 1
 */
export async function queryDueKeys(
  table: SettingName,
  shardName: (shard: number) => string,
  nowMs: number,
  limit: number,
): Promise<z.output<typeof Keys>> {
  const found: z.output<typeof Keys> = [];
  // The shards are queried one after another, because requests of clients need the capacity of the table more urgently.
  for (let shard = 0; shard < DUE_INDEX_SHARDS; shard++) {
    found.push(...(await queryDueKeysInShard(table, shardName(shard), nowMs, Math.ceil(limit / DUE_INDEX_SHARDS))));
  }
  return found.sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1)).slice(0, limit);
}

export async function queryDueKeysInShard(
  table: SettingName,
  dueShard: string,
  nowMs: number,
  limit: number,
): Promise<z.output<typeof Keys>> {
  const query = new QueryCommand({
    TableName: requireSetting(table),
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
    ExpressionAttributeValues: { ':shard': dueShard, ':now': formatDueAt(nowMs) },
    Limit: limit,
  });
  return Keys.parse((await dynamoDocumentClient().send(query)).Items ?? []);
}
