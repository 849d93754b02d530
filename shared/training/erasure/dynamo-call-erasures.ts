import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamo } from '../../platform/clients.ts';
import { conditionally } from '../../platform/conditionally.ts';
import { config } from '../../platform/config.ts';
import { dueKeys } from '../../platform/due-index.ts';
import { dueAt } from '../../platform/due-time.ts';
import type { CallIds, CallStatus } from '../call.ts';
import { erasureShard, erasureShardOf, trainingKey } from '../training-table.ts';
import type { CallErasures, Erasure } from './erase-call.ts';

/** Calls that somebody will still move on. */
export const UNDER_WAY: readonly CallStatus[] = ['pending', 'processing'];

/** Also of a record that is damaged. */
const text = z.catch(z.optional(z.string().check(z.minLength(1))), undefined);
const Call = z.object({ status: text, conversationId: text });
const ErasureItem = z.object({ conversationId: text, cleared: z.boolean(), dueAt: z.iso.datetime() });

const IS_OVER = {
  ConditionExpression: 'NOT #status IN (:pending, :processing)',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':pending': UNDER_WAY[0], ':processing': UNDER_WAY[1] },
};

/** Calls and their erasures in the training table. @throws an error of the SDK's while it is not available */
export function dynamoCallErasures(client: () => DynamoDBDocumentClient = dynamo): CallErasures {
  const table = () => ({ TableName: config('trainingTable') });
  const read = async (Key: Record<string, string>): Promise<unknown> =>
    (await client().send(new GetCommand({ ...table(), Key, ConsistentRead: true }))).Item;
  const remove = (Key: Record<string, string>, condition: object = {}) =>
    conditionally(client().send(new DeleteCommand({ ...table(), Key, ...condition })));
  return {
    find: async (ids) => {
      const item = await read(trainingKey.call(ids));
      if (item === undefined) return undefined;
      const { status, conversationId } = Call.parse(item);
      return { isUnderWay: UNDER_WAY.some((one) => one === status), conversationId };
    },
    erasure: async (ids) => {
      const item = await read(trainingKey.erasure(ids));
      return item === undefined ? undefined : erasureIn(ids, item);
    },
    keep: async (erasure) => void (await client().send(new PutCommand({ ...table(), Item: itemOf(erasure) }))),
    end: async (ids) => void (await remove(trainingKey.erasure(ids))),
    removeCall: async (ids) => (await remove(trainingKey.call(ids), IS_OVER)) !== undefined,
    removeLookUp: async (conversationId, ids) => void (await remove(trainingKey.conversation(conversationId), of(ids))),
    due: async (nowMs, most) => (await dueKeys('trainingTable', erasureShard, nowMs, most)).map(idsIn),
  };
}

/** The provider names conversations, not we: one could have been given twice. */
const of = ({ orgId, callId }: CallIds) => ({
  ConditionExpression: 'orgId = :org AND callId = :call',
  ExpressionAttributeValues: { ':org': orgId, ':call': callId },
});

const itemOf = ({ orgId, callId, conversationId, cleared, dueAtMs }: Erasure) => ({
  ...trainingKey.erasure({ orgId, callId }),
  ...{ conversationId, cleared, dueAt: dueAt(dueAtMs), dueShard: erasureShardOf(callId) },
});

function erasureIn({ orgId, callId }: CallIds, item: unknown): Erasure {
  const { dueAt: due, conversationId, cleared } = ErasureItem.parse(item);
  return { orgId, callId, conversationId, cleared, dueAtMs: Date.parse(due) };
}

const idsIn = ({ pk, sk }: { pk: string; sk: string }): CallIds => ({
  orgId: pk.slice('org#'.length),
  callId: sk.slice('erasure#'.length),
});
