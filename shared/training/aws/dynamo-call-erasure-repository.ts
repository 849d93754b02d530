import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys } from '../../platform/aws/query-due-index.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { CallIds, CallStatus } from '../call.ts';
import type { CallErasureRecord, CallErasureRepository } from '../ports.ts';
import { erasureDueShard, erasureDueShardOf, trainingKey } from './training-table.ts';

export const IN_PROGRESS_STATUSES: readonly CallStatus[] = ['pending', 'processing'];

/** Parses a damaged attribute as undefined, so that a damaged item can also be erased. */
const text = z.catch(z.optional(z.string().check(z.minLength(1))), undefined);
const Call = z.object({ status: text, conversationId: text });
const ErasureItem = z.object({ conversationId: text, cleared: z.boolean(), dueAt: z.iso.datetime() });

const HAS_ENDED = {
  ConditionExpression: 'NOT #status IN (:pending, :processing)',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':pending': IN_PROGRESS_STATUSES[0], ':processing': IN_PROGRESS_STATUSES[1] },
};

/** The methods throw the SDK's errors, for example while the table is unavailable. */
export function createDynamoCallErasureRepository(
  client: () => DynamoDBDocumentClient = dynamoDocumentClient,
): CallErasureRepository {
  const table = () => ({ TableName: requireSetting('trainingTable') });
  const read = async (Key: Record<string, string>): Promise<unknown> =>
    (await client().send(new GetCommand({ ...table(), Key, ConsistentRead: true }))).Item;
  const remove = (Key: Record<string, string>, condition: object = {}) =>
    undefinedIfConditionFailed(client().send(new DeleteCommand({ ...table(), Key, ...condition })));
  return {
    findCall: async (ids) => {
      const item = await read(trainingKey.call(ids));
      if (item === undefined) return undefined;
      const { status, conversationId } = Call.parse(item);
      return { isInProgress: IN_PROGRESS_STATUSES.some((one) => one === status), conversationId };
    },
    find: async (ids) => {
      const item = await read(trainingKey.erasure(ids));
      return item === undefined ? undefined : parseErasureItem(ids, item);
    },
    put: async (erasure) => void (await client().send(new PutCommand({ ...table(), Item: toErasureItem(erasure) }))),
    delete: async (ids) => void (await remove(trainingKey.erasure(ids))),
    deleteCall: async (ids) => (await remove(trainingKey.call(ids), HAS_ENDED)) !== undefined,
    deleteConversationLookup: async (conversationId, ids) =>
      void (await remove(trainingKey.conversation(conversationId), belongsTo(ids))),
    findDue: async (nowMs, limit) =>
      (await queryDueKeys('trainingTable', erasureDueShard, nowMs, limit)).map(parseErasureKey),
  };
}

/**
 * Condition that the look-up item leads to this call. Needed because the provider could use a conversation id for two
 * calls.
 */
const belongsTo = ({ orgId, callId }: CallIds) => ({
  ConditionExpression: 'orgId = :org AND callId = :call',
  ExpressionAttributeValues: { ':org': orgId, ':call': callId },
});

const toErasureItem = ({ orgId, callId, conversationId, cleared, dueAtMs }: CallErasureRecord) => ({
  ...trainingKey.erasure({ orgId, callId }),
  conversationId,
  cleared,
  dueAt: formatDueAt(dueAtMs),
  dueShard: erasureDueShardOf(callId),
});

function parseErasureItem({ orgId, callId }: CallIds, item: unknown): CallErasureRecord {
  const { dueAt, conversationId, cleared } = ErasureItem.parse(item);
  return { orgId, callId, conversationId, cleared, dueAtMs: Date.parse(dueAt) };
}

const parseErasureKey = ({ pk, sk }: { pk: string; sk: string }): CallIds => ({
  orgId: pk.slice('org#'.length),
  callId: sk.slice('erasure#'.length),
});
