import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamo } from './clients.ts';
import { type ConfigName, config } from './config.ts';
import { DUE_SHARDS, dueAt } from './due-time.ts';

const Keys = z.array(z.object({ pk: z.string(), sk: z.string(), dueAt: z.string() }));

/**
 * What is due by a table's sparse index `due`: at most so many keys, the longest due first; eventually consistent.
 *
 * @param shardName the index's key of a shard, 0 to `DUE_SHARDS` - 1
 */
export async function dueKeys(
  table: ConfigName,
  shardName: (shard: number) => string,
  nowMs: number,
  most: number,
): Promise<z.output<typeof Keys>> {
  const found: z.output<typeof Keys> = [];
  // One after the other: nobody waits for what is due, and others do wait for the table.
  for (let shard = 0; shard < DUE_SHARDS; shard++) {
    found.push(...(await dueKeysIn(table, shardName(shard), nowMs, Math.ceil(most / DUE_SHARDS))));
  }
  return found.sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1)).slice(0, most);
}

/** The same of one partition of the index. */
export async function dueKeysIn(
  table: ConfigName,
  dueShard: string,
  nowMs: number,
  most: number,
): Promise<z.output<typeof Keys>> {
  const query = new QueryCommand({
    TableName: config(table),
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
    ExpressionAttributeValues: { ':shard': dueShard, ':now': dueAt(nowMs) },
    Limit: most,
  });
  return Keys.parse((await dynamo().send(query)).Items ?? []);
}
