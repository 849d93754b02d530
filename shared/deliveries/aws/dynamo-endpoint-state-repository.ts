import { GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys } from '../../platform/aws/query-due-index.ts';
import { DUE_INDEX_SHARDS } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { toIsoString } from '../lane.ts';
import type { EndpointState, EndpointStateRepository } from '../ports.ts';
import { endpointStateKey, parseEndpointStateKey } from './deliveries-table.ts';

const StoredRedelivery = z.object({
  id: z.string(),
  since: z.string(),
  requestedAt: z.string(),
  includeDelivered: z.boolean(),
  position: z.optional(z.string()),
});

const StateItem = z.object({
  wakeups: z._default(z.number(), 0),
  isSettling: z._default(z.boolean(), false),
  dueAt: z.optional(z.string()),
  restsUntil: z.optional(z.string()),
  isPaused: z._default(z.boolean(), false),
  failingSince: z.optional(z.string()),
  failedAttempts: z._default(z.number(), 0),
  redelivery: z.optional(StoredRedelivery),
});

const parseStateItem = (endpointId: string, item: Record<string, unknown>): EndpointState => {
  const { dueAt, failingSince, failedAttempts, redelivery, ...state } = StateItem.parse(item);
  const failing = failingSince === undefined ? undefined : { since: failingSince, failedAttempts };
  return { endpointId, ...state, dueAt, failing, redelivery };
};

/** All methods throw UnavailableError while the table is unavailable. */
export function createDynamoEndpointStateRepository(): EndpointStateRepository {
  return {
    wake: (endpointId, atMs) => orUnavailable(() => wake(endpointId, toIsoString(atMs))),
    listDue: (nowMs, limit) =>
      orUnavailable(async () => {
        const keys = await queryDueKeys('deliveriesTable', shardName, nowMs, limit);
        return keys.map((key) => ({ endpointId: parseEndpointStateKey(key), dueAt: key.dueAt }));
      }),
    find: (endpointId) =>
      orUnavailable(async () => {
        const get = new GetCommand({ ...tableAndKey(endpointId), ConsistentRead: true });
        const { Item } = await dynamoDocumentClient().send(get);
        return Item && parseStateItem(endpointId, Item);
      }),
    plan: ({ endpointId, wakeups, isSettling: before }, { isSettling, dueAt, isPaused }) =>
      orUnavailable(() =>
        update(endpointId, {
          UpdateExpression:
            dueAt === undefined
              ? 'SET isSettling = :settling, isPaused = :paused REMOVE dueShard, dueAt, restsUntil'
              : 'SET isSettling = :settling, isPaused = :paused, dueShard = :shard, dueAt = :due REMOVE restsUntil',
          ConditionExpression: 'wakeups = :wakeups AND isSettling = :before',
          ExpressionAttributeValues: {
            ':settling': isSettling,
            ':paused': isPaused,
            ':wakeups': wakeups,
            ':before': before,
            ...(dueAt && { ':shard': shardOf(endpointId), ':due': dueAt }),
          },
        }),
      ),
    rest: (endpointId, untilMs) =>
      orUnavailable(async () => {
        await update(endpointId, {
          UpdateExpression: 'SET isSettling = :no, dueShard = :shard, dueAt = :until, restsUntil = :until',
          ConditionExpression: 'attribute_exists(wakeups)',
          ExpressionAttributeValues: {
            ':no': false,
            ':shard': shardOf(endpointId),
            ':until': toIsoString(untilMs),
          },
        });
      }),
    resume: (endpointId, atMs) =>
      orUnavailable(async () => {
        await update(endpointId, {
          UpdateExpression:
            'SET isSettling = :no, isPaused = :no, dueShard = :shard, dueAt = :now ' +
            'REMOVE restsUntil, failingSince, failedAttempts ADD wakeups :one',
          ExpressionAttributeValues: {
            ':no': false,
            ':shard': shardOf(endpointId),
            ':now': toIsoString(atMs),
            ':one': 1,
          },
        });
      }),
    countFailedAttempt: (endpointId, startedAt) =>
      orUnavailable(async () => {
        const written = await write(endpointId, {
          UpdateExpression: 'SET failingSince = if_not_exists(failingSince, :at) ADD failedAttempts :one',
          ExpressionAttributeValues: { ':at': startedAt, ':one': 1 },
          ReturnValues: 'ALL_NEW',
        });
        return parseStateItem(endpointId, written?.Attributes ?? {}).failing ?? { since: startedAt, failedAttempts: 1 };
      }),
    recordSuccess: (endpointId) =>
      orUnavailable(async () => {
        await update(endpointId, { UpdateExpression: 'REMOVE failingSince, failedAttempts' });
      }),
    startRedelivery: (endpointId, redelivery) =>
      orUnavailable(async () => {
        const written = await write(endpointId, {
          UpdateExpression: 'SET redelivery = if_not_exists(redelivery, :redelivery)',
          ExpressionAttributeValues: { ':redelivery': redelivery },
          ReturnValues: 'ALL_NEW',
        });
        return parseStateItem(endpointId, written?.Attributes ?? {}).redelivery ?? redelivery;
      }),
    advanceRedelivery: (endpointId, { id, position: before }, position) =>
      orUnavailable(() =>
        update(endpointId, {
          UpdateExpression: position === undefined ? 'REMOVE redelivery' : 'SET redelivery.#position = :position',
          ConditionExpression: `redelivery.id = :id AND ${
            before === undefined ? 'attribute_not_exists(redelivery.#position)' : 'redelivery.#position = :before'
          }`,
          ExpressionAttributeNames: { '#position': 'position' },
          ExpressionAttributeValues: {
            ':id': id,
            ...(before !== undefined && { ':before': before }),
            ...(position !== undefined && { ':position': position }),
          },
        }),
      ),
  };
}

/** Makes an endpoint due, unless it is due already or rests. Increments `wakeups` in any case. */
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
  // Between the two updates, another process found no work and removed `dueAt`, so neither update was written.
  if (!isCounted) await wake(endpointId, now);
}

type Update = Omit<UpdateCommandInput, 'TableName' | 'Key'>;

/** Returns undefined and writes nothing if the condition fails. */
const write = (endpointId: string, input: Update) =>
  undefinedIfConditionFailed(dynamoDocumentClient().send(new UpdateCommand({ ...tableAndKey(endpointId), ...input })));

const update = async (endpointId: string, input: Update): Promise<boolean> =>
  (await write(endpointId, input)) !== undefined;

const tableAndKey = (endpointId: string) => ({
  TableName: requireSetting('deliveriesTable'),
  Key: endpointStateKey(endpointId),
});

const shardName = (shard: number): string => `endpoints#${shard}`;
/** The last digits of an endpoint's id are random, so endpoints are spread evenly over the shards. */
const shardOf = (endpointId: string): string => shardName(Number.parseInt(endpointId.slice(-8), 16) % DUE_INDEX_SHARDS);

const orUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  rethrowAsUnavailable('The table of deliveries is not available. Try again shortly.', work);
