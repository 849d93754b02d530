import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { DUE_INDEX_SHARDS, formatDueAt } from '../due-index.ts';
import { requireSetting, type SettingName } from '../settings.ts';
import { dynamoDocumentClient } from './dynamo-client.ts';

const Keys = z.array(z.object({ pk: z.string(), sk: z.string(), dueAt: z.string() }));

/**
 * What is due by a table's sparse index `due`: at most so many keys, the longest due first; eventually consistent.
 *
 * @param shardName the index's key of a shard, 0 to `DUE_SHARDS` - 1
 */
export async function queryDueKeys(
  table: SettingName,
  shardName: (shard: number) => string,
  nowMs: number,
  most: number,
): Promise<z.output<typeof Keys>> {
  const found: z.output<typeof Keys> = [];
  // One after the other: nobody waits for what is due, and others do wait for the table.
  for (let shard = 0; shard < DUE_INDEX_SHARDS; shard++) {
    found.push(...(await queryDueKeysInShard(table, shardName(shard), nowMs, Math.ceil(most / DUE_INDEX_SHARDS))));
  }
  return found.sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1)).slice(0, most);
}

/** The same of one partition of the index. */
export async function queryDueKeysInShard(
  table: SettingName,
  dueShard: string,
  nowMs: number,
  most: number,
): Promise<z.output<typeof Keys>> {
  const query = new QueryCommand({
    TableName: requireSetting(table),
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
    ExpressionAttributeValues: { ':shard': dueShard, ':now': formatDueAt(nowMs) },
    Limit: most,
  });
  return Keys.parse((await dynamoDocumentClient().send(query)).Items ?? []);
}
