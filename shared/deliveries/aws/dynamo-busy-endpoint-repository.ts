import { GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
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
    wake: (endpointId, atMs) => available(() => wake(endpointId, toIsoString(atMs))),
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
    plan: ({ endpointId, wakeups, isSettling: before }, { isSettling, dueAt }) =>
      available(() =>
        update(endpointId, {
          UpdateExpression:
            dueAt === undefined
              ? 'SET isSettling = :settling REMOVE dueShard, dueAt, restsUntil'
              : 'SET isSettling = :settling, dueShard = :shard, dueAt = :due REMOVE restsUntil',
          ConditionExpression: 'wakeups = :wakeups AND isSettling = :before',
          ExpressionAttributeValues: {
            ...{ ':settling': isSettling, ':wakeups': wakeups, ':before': before },
            ...(dueAt && { ':shard': shardOf(endpointId), ':due': dueAt }),
          },
        }),
      ),
    rest: (endpointId, untilMs) =>
      available(async () => {
        await update(endpointId, {
          UpdateExpression: 'SET isSettling = :no, dueShard = :shard, dueAt = :until, restsUntil = :until',
          ConditionExpression: 'attribute_exists(wakeups)',
          ExpressionAttributeValues: {
            ...{ ':no': false, ':shard': shardOf(endpointId), ':until': toIsoString(untilMs) },
          },
        });
      }),
  };
}

/** An endpoint that is due keeps its place, and an endpoint that rests is not served earlier. */
async function wake(endpointId: string, now: string): Promise<void> {
  const isDueNow = await update(endpointId, {
    UpdateExpression: 'SET dueShard = :shard, dueAt = :now, isSettling = :no ADD wakeups :one',
    ConditionExpression: 'attribute_not_exists(dueAt) OR (dueAt > :now AND attribute_not_exists(restsUntil))',
    ExpressionAttributeValues: { ':shard': shardOf(endpointId), ':now': now, ':no': false, ':one': 1 },
  });
  if (isDueNow) return;
  const isCounted = await update(endpointId, {
    UpdateExpression: 'SET isSettling = :no ADD wakeups :one',
    ConditionExpression: 'attribute_exists(dueAt)',
    ExpressionAttributeValues: { ':no': false, ':one': 1 },
  });
  // Another process has planned that there is no work, without knowing of this one.
  if (!isCounted) await wake(endpointId, now);
}

type Update = Pick<UpdateCommandInput, 'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeValues'>;

/** Returns false and writes nothing if the condition fails. */
async function update(endpointId: string, input: Update): Promise<boolean> {
  const command = new UpdateCommand({ ...tableAndKey(endpointId), ...input });
  return (await undefinedIfConditionFailed(dynamoDocumentClient().send(command))) !== undefined;
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
