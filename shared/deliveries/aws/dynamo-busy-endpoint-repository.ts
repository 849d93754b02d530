import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys } from '../../platform/aws/query-due-index.ts';
import { DUE_INDEX_SHARDS } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { toIsoString } from '../lane.ts';
import type { BusyEndpointRepository } from '../ports.ts';
import { busyItemKey, parseBusyKey } from './deliveries-table.ts';

const BusyItem = z.object({ wakeups: z.number(), isSettling: z.boolean(), dueAt: z.optional(z.string()) });

/** All methods throw UnavailableError while the table is unavailable. */
export function createDynamoBusyEndpointRepository(): BusyEndpointRepository {
  return {
    wake: (endpointId, atMs) =>
      available(async () => {
        const update = new UpdateCommand({
          ...tableAndKey(endpointId),
          UpdateExpression: 'SET dueShard = :shard, dueAt = :now, isSettling = :no ADD wakeups :one',
          ExpressionAttributeValues: {
            ':shard': shardOf(endpointId),
            ':now': toIsoString(atMs),
            ':no': false,
            ':one': 1,
          },
        });
        await dynamoDocumentClient().send(update);
      }),
    listDue: (nowMs, limit) =>
      available(async () => {
        const keys = await queryDueKeys('deliveriesTable', shardName, nowMs, limit);
        return keys.map((key) => ({ endpointId: parseBusyKey(key), dueAt: key.dueAt }));
      }),
    find: (endpointId) =>
      available(async () => {
        const get = new GetCommand({ ...tableAndKey(endpointId), ConsistentRead: true });
        const { Item } = await dynamoDocumentClient().send(get);
        if (Item === undefined) return undefined;
        const { dueAt, ...busy } = BusyItem.parse(Item);
        return { endpointId, ...busy, dueAt };
      }),
    rest: ({ endpointId, wakeups, isSettling: before }, { isSettling, dueAt }) =>
      available(async () => {
        const update = new UpdateCommand({
          ...tableAndKey(endpointId),
          UpdateExpression: `SET isSettling = :settling${dueAt === undefined ? ' REMOVE dueShard, dueAt' : ', dueAt = :due'}`,
          ConditionExpression: 'wakeups = :wakeups AND isSettling = :before',
          ExpressionAttributeValues: {
            ':settling': isSettling,
            ':wakeups': wakeups,
            ':before': before,
            ...(dueAt && { ':due': dueAt }),
          },
        });
        return (await undefinedIfConditionFailed(dynamoDocumentClient().send(update))) !== undefined;
      }),
  };
}

const tableAndKey = (endpointId: string) => ({
  TableName: requireSetting('deliveriesTable'),
  Key: busyItemKey(endpointId),
});

const shardName = (shard: number): string => `endpoints#${shard}`;
/** The last digits of an endpoint's id are random. */
const shardOf = (endpointId: string): string => shardName(Number.parseInt(endpointId.slice(-8), 16) % DUE_INDEX_SHARDS);

const available = <T>(work: () => Promise<T>): Promise<T> =>
  rethrowAsUnavailable('The table of deliveries is not available. Try again shortly.', work);
