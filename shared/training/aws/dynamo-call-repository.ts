import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys } from '../../platform/aws/query-due-index.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { CallIds, CallStatus } from '../call.ts';
import type { CallRepository, CallResult, StoredConversation, TransitionOutcome } from '../ports.ts';
import { parseCallItem, parseCallKey, toTranscriptAttributes } from './call-item.ts';
import { callDueShard, callDueShardOf, trainingKey } from './training-table.ts';

const Ids = z.object({ orgId: z.string(), callId: z.string(), agentId: z.optional(z.string()) });

const NOT_READABLE = 'The call cannot be read. Try again shortly.';
const NOT_WRITABLE = 'The call cannot be changed. Try again shortly.';

type Change = {
  from: readonly CallStatus[];
  to: CallStatus;
  set?: Record<string, unknown>;
  /** Undefined: nothing is left to do. */
  dueAtMs: number | undefined;
  /** What else must hold. */
  when?: { expression: string; values?: Record<string, unknown> };
};

/** Calls in the training table. Each method throws Problem 503 while it is not available. */
export function createDynamoCallRepository(clock: Clock = systemClock): CallRepository {
  const change = (ids: CallIds, to: Change) => changed(ids, to, clock.now());
  return { ...reads, ...moves(change), ...repeats(change), forceReschedule: putOff };
}

type Apply = (ids: CallIds, change: Change) => Promise<TransitionOutcome>;

const reads: Pick<CallRepository, 'findIdsByConversation' | 'find' | 'findDue'> = {
  findIdsByConversation: async (conversationId) => {
    const item = await read(trainingKey.conversation(conversationId));
    return item && Ids.parse(item);
  },
  find: async (ids) => {
    const item = await read(trainingKey.call(ids));
    return item && parseCallItem(item);
  },
  findDue: async (nowMs, most) =>
    (await rethrowAsUnavailable(NOT_READABLE, () => queryDueKeys('trainingTable', callDueShard, nowMs, most))).map(
      parseCallKey,
    ),
};

/** From one state to another. */
function moves(
  change: Apply,
): Pick<CallRepository, 'startProcessing' | 'failToStart' | 'complete' | 'fail' | 'abandon'> {
  const failed = (from: CallStatus) => (ids: CallIds, failureReason: string) =>
    change(ids, { from: [from], to: 'failed', set: { failureReason }, dueAtMs: undefined });
  return {
    startProcessing: (ids, conversation, dueAtMs) =>
      change(ids, { from: ['pending', 'abandoned'], to: 'processing', set: begun(conversation), dueAtMs }),
    failToStart: failed('pending'),
    complete: (ids, { dueAtMs, ...result }) =>
      change(ids, { from: ['processing'], to: 'ready', set: completed(result), dueAtMs }),
    fail: failed('processing'),
    abandon: (ids) => change(ids, { from: ['pending'], to: 'abandoned', dueAtMs: undefined }),
  };
}

/** Within a state. */
function repeats(change: Apply): Pick<CallRepository, 'reschedule' | 'completeRecording'> {
  return {
    reschedule: async (seen, dueAtMs, attempts = seen.attempts + 1) => {
      if (seen.dueAtMs === undefined) return 'stale';
      const set = { attempts };
      const when = { expression: 'dueAt = :seen', values: { ':seen': formatDueAt(seen.dueAtMs) } };
      return change(seen, { from: [seen.status], to: seen.status, set, dueAtMs, when });
    },
    completeRecording: (ids, recordingKey) => {
      const when =
        recordingKey === null
          ? { expression: 'attribute_exists(dueAt)' }
          : { expression: 'NOT attribute_type(recordingKey, :text)', values: { ':text': 'S' } };
      return change(ids, { from: ['ready'], to: 'ready', set: { recordingKey }, dueAtMs: undefined, when });
    },
  };
}

/** What a call holds of its conversation. */
const begun = ({ transcript, ...conversation }: StoredConversation) => ({
  ...conversation,
  ...toTranscriptAttributes(transcript),
  attempts: 0,
});

const completed = ({ analysis, score, recordingKey, transcriptKey }: Omit<CallResult, 'dueAtMs'>) => ({
  ...{ analysis: JSON.stringify(analysis), score: JSON.stringify(score), recordingKey },
  ...(transcriptKey !== undefined && toTranscriptAttributes({ key: transcriptKey })),
  attempts: 0,
});

async function read(Key: Record<string, string>): Promise<Record<string, unknown> | undefined> {
  const get = new GetCommand({ TableName: requireSetting('trainingTable'), Key, ConsistentRead: true });
  return (await rethrowAsUnavailable(NOT_READABLE, () => dynamoDocumentClient().send(get))).Item;
}

/** One conditional write: the state changes, what it needs is there and what is due is in the index, all or nothing. */
async function changed(
  ids: CallIds,
  { from, to, set, dueAtMs, when }: Change,
  nowMs: number,
): Promise<TransitionOutcome> {
  const due = dueAtMs !== undefined && { dueShard: callDueShardOf(ids.callId), dueAt: formatDueAt(dueAtMs) };
  const values = { ...set, ...due, status: to, updatedAt: new Date(nowMs).toISOString() };
  const update = new UpdateCommand({
    TableName: requireSetting('trainingTable'),
    Key: trainingKey.call(ids),
    UpdateExpression: `SET ${Object.keys(values).map((name) => `#${name} = :${name}`)}${due ? '' : ' REMOVE dueShard, dueAt'}`,
    ConditionExpression: `#status IN (${from.map((_, at) => `:from${at}`)})${when ? ` AND ${when.expression}` : ''}`,
    ExpressionAttributeNames: Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
      ...Object.fromEntries(from.map((status, at) => [`:from${at}`, status])),
      ...when?.values,
    },
  });
  return write(update);
}

/** Only where it stands in the index. */
async function putOff(ids: CallIds, dueAtMs: number): Promise<TransitionOutcome> {
  const update = new UpdateCommand({
    TableName: requireSetting('trainingTable'),
    Key: trainingKey.call(ids),
    UpdateExpression: 'SET dueAt = :due',
    ConditionExpression: 'dueAt < :due',
    ExpressionAttributeValues: { ':due': formatDueAt(dueAtMs) },
  });
  return write(update);
}

async function write(update: UpdateCommand): Promise<TransitionOutcome> {
  const answer = await rethrowAsUnavailable(NOT_WRITABLE, () =>
    undefinedIfConditionFailed(dynamoDocumentClient().send(update)),
  );
  return answer === undefined ? 'stale' : 'applied';
}
