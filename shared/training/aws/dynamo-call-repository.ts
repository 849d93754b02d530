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
import { parseCallItem, parseCallKey, toAttemptsAttribute, toTranscriptAttributes } from './call-item.ts';
import { callDueShard, callDueShardOf, SCORED_OUTBOX, trainingKey } from './training-table.ts';

const ConversationItem = z.object({ orgId: z.string(), callId: z.string(), agentId: z.optional(z.string()) });

const NOT_READABLE = 'The call cannot be read. Try again shortly.';
const NOT_WRITABLE = 'The call cannot be changed. Try again shortly.';

type CallUpdate = {
  from: readonly CallStatus[];
  to: CallStatus;
  set?: Record<string, unknown>;
  /** Undefined removes the call from the due index. */
  dueAtMs: number | undefined;
  /** Whether the update stores the score, and therefore puts the call into the outbox (ADR 0028). */
  isScoring?: boolean;
  when?: { expression: string; values?: Record<string, unknown> };
};

type ApplyUpdate = (ids: CallIds, update: CallUpdate) => Promise<TransitionOutcome>;

export function createDynamoCallRepository(clock: Clock = systemClock): CallRepository {
  const apply: ApplyUpdate = (ids, update) => updateCall(ids, update, clock.now());
  return { ...reads, ...createTransitions(apply), ...createUpdatesWithinStatus(apply), forceReschedule };
}

const reads: Pick<CallRepository, 'findIdsByConversation' | 'find' | 'findDue'> = {
  findIdsByConversation: async (conversationId) => {
    const item = await readItem(trainingKey.conversation(conversationId));
    return item && ConversationItem.parse(item);
  },
  find: async (ids) => {
    const item = await readItem(trainingKey.call(ids));
    return item && parseCallItem(item);
  },
  findDue: async (nowMs, limit) => {
    const keys = await rethrowAsUnavailable(NOT_READABLE, () =>
      queryDueKeys('trainingTable', callDueShard, nowMs, limit),
    );
    return keys.map(parseCallKey);
  },
};

function createTransitions(
  apply: ApplyUpdate,
): Pick<CallRepository, 'moveToProcessing' | 'failPending' | 'moveToReady' | 'failProcessing' | 'abandon'> {
  const failFrom = (from: CallStatus) => (ids: CallIds, failureReason: string) =>
    apply(ids, { from: [from], to: 'failed', set: { failureReason }, dueAtMs: undefined });
  return {
    moveToProcessing: (ids, conversation, dueAtMs) =>
      apply(ids, {
        from: ['pending', 'abandoned'],
        to: 'processing',
        set: { ...toConversationAttributes(conversation), ...toAttemptsAttribute(0) },
        dueAtMs,
      }),
    failPending: failFrom('pending'),
    moveToReady: (ids, { dueAtMs, ...result }) =>
      apply(ids, {
        from: ['processing'],
        to: 'ready',
        set: { ...toResultAttributes(result), ...toAttemptsAttribute(0) },
        dueAtMs,
        isScoring: true,
      }),
    failProcessing: failFrom('processing'),
    abandon: (ids) => apply(ids, { from: ['pending'], to: 'abandoned', dueAtMs: undefined }),
  };
}

function createUpdatesWithinStatus(apply: ApplyUpdate): Pick<CallRepository, 'reschedule' | 'endRecordingWork'> {
  return {
    reschedule: async (seen, dueAtMs, sweeperAttempts = seen.sweeperAttempts + 1) => {
      if (seen.dueAtMs === undefined) return 'conflict';
      const set = toAttemptsAttribute(sweeperAttempts);
      const when = { expression: 'dueAt = :seen', values: { ':seen': formatDueAt(seen.dueAtMs) } };
      return apply(seen, { from: [seen.status], to: seen.status, set, dueAtMs, when });
    },
    endRecordingWork: (ids, recordingKey) => {
      // A null key means that no recording will be stored. Null is written only while the call has a due time. Writing
      // a key removes the due time, so null cannot replace a key. A key can replace null, but not another key.
      const when =
        recordingKey === null
          ? { expression: 'attribute_exists(dueAt)' }
          : { expression: 'NOT attribute_type(recordingKey, :text)', values: { ':text': 'S' } };
      return apply(ids, { from: ['ready'], to: 'ready', set: { recordingKey }, dueAtMs: undefined, when });
    },
  };
}

const toConversationAttributes = ({ transcript, ...conversation }: StoredConversation) => ({
  ...conversation,
  ...toTranscriptAttributes(transcript),
});

const toResultAttributes = ({ analysis, score, recordingKey, transcriptKey }: Omit<CallResult, 'dueAtMs'>) => ({
  analysis: JSON.stringify(analysis),
  score: JSON.stringify(score),
  recordingKey,
  ...(transcriptKey !== undefined && toTranscriptAttributes({ key: transcriptKey })),
});

async function readItem(Key: Record<string, string>): Promise<Record<string, unknown> | undefined> {
  const get = new GetCommand({ TableName: requireSetting('trainingTable'), Key, ConsistentRead: true });
  return (await rethrowAsUnavailable(NOT_READABLE, () => dynamoDocumentClient().send(get))).Item;
}

/** One conditional write changes status, attributes and due index together. */
async function updateCall(
  ids: CallIds,
  { from, to, set, dueAtMs, isScoring = false, when }: CallUpdate,
  nowMs: number,
): Promise<TransitionOutcome> {
  const due = dueAtMs !== undefined && { dueShard: callDueShardOf(ids.callId), dueAt: formatDueAt(dueAtMs) };
  const updatedAt = new Date(nowMs).toISOString();
  const outbox = isScoring && { scoredAt: updatedAt, outboxShard: SCORED_OUTBOX, outboxAt: updatedAt };
  const values = { ...set, ...due, ...outbox, status: to, updatedAt };
  const assignments = Object.keys(values).map((name) => `#${name} = :${name}`);
  const update = new UpdateCommand({
    TableName: requireSetting('trainingTable'),
    Key: trainingKey.call(ids),
    UpdateExpression: `SET ${assignments.join(', ')}${due ? '' : ' REMOVE dueShard, dueAt'}`,
    ConditionExpression: `#status IN (${from.map((_, at) => `:from${at}`)})${when ? ` AND ${when.expression}` : ''}`,
    ExpressionAttributeNames: Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
      ...Object.fromEntries(from.map((status, at) => [`:from${at}`, status])),
      ...when?.values,
    },
  });
  return send(update);
}

async function forceReschedule(ids: CallIds, dueAtMs: number): Promise<TransitionOutcome> {
  const update = new UpdateCommand({
    TableName: requireSetting('trainingTable'),
    Key: trainingKey.call(ids),
    UpdateExpression: 'SET dueAt = :due',
    ConditionExpression: 'dueAt < :due',
    ExpressionAttributeValues: { ':due': formatDueAt(dueAtMs) },
  });
  return send(update);
}

async function send(update: UpdateCommand): Promise<TransitionOutcome> {
  const output = await rethrowAsUnavailable(NOT_WRITABLE, () =>
    undefinedIfConditionFailed(dynamoDocumentClient().send(update)),
  );
  return output === undefined ? 'conflict' : 'applied';
}
