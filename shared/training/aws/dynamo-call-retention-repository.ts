import { GetCommand, PutCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { CallRetentionRepository, RetainedCall } from '../ports.ts';
import { IN_PROGRESS_STATUSES } from './dynamo-call-erasure-repository.ts';
import { trainingKey } from './training-table.ts';

/** Calls per page. Small, because items can contain transcripts and DynamoDB reads at most 1 MB per page. */
const PAGE_SIZE = 100;

const text = z.catch(z.optional(z.string().check(z.minLength(1))), undefined);
const CallItem = z.object({
  sk: z.string(),
  status: text,
  conversationId: text,
  createdAt: text,
  updatedAt: text,
  recordingKey: text,
  recordingErasedAt: text,
  dueAt: text,
});
const ATTRIBUTES = Object.keys(CallItem.shape);
const RetentionItem = z.object({ recordingsDone: z.string() });

const CALL_PREFIX = trainingKey.call({ orgId: '', callId: '' }).sk;

/** The sort keys of calls contain ids. The service creates UUIDs v7, which are sorted by the time of their creation. */
export function createDynamoCallRetentionRepository(clock: Clock = systemClock): CallRetentionRepository {
  return {
    listCreatedBefore: (orgId, createdAtMs, after) => queryCalls(orgId, createdAtMs, after),
    readRecordingCursor: async (orgId) => {
      const get = new GetCommand({ ...table(), Key: trainingKey.retention(orgId), ConsistentRead: true });
      const { Item } = await dynamoDocumentClient().send(get);
      return Item && RetentionItem.parse(Item).recordingsDone;
    },
    saveRecordingCursor: async (orgId, callId) => {
      const put = new PutCommand({
        ...table(),
        Item: { ...trainingKey.retention(orgId), recordingsDone: callId },
        ConditionExpression: 'attribute_not_exists(pk) OR recordingsDone < :call',
        ExpressionAttributeValues: { ':call': callId },
      });
      await undefinedIfConditionFailed(dynamoDocumentClient().send(put));
    },
    markRecordingErased: async (call) =>
      (await undefinedIfConditionFailed(dynamoDocumentClient().send(markRecordingErased(call, clock)))) !== undefined,
  };
}

const table = () => ({ TableName: requireSetting('trainingTable') });

async function* queryCalls(orgId: string, createdAtMs: number, after = ''): AsyncGenerator<RetainedCall[]> {
  const end = firstIdAt(createdAtMs + 1);
  // DynamoDB rejects a range that ends before it starts.
  if (createdAtMs < 0 || after >= end) return;
  const query = {
    ...table(),
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': trainingKey.call({ orgId, callId: '' }).pk,
      // BETWEEN includes both ends. The `!` excludes the call `after`: the key with `!` sorts directly behind it.
      ':from': `${CALL_PREFIX}${after}${after === '' ? '' : '!'}`,
      ':to': `${CALL_PREFIX}${end}`,
    },
    ProjectionExpression: ATTRIBUTES.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(ATTRIBUTES.map((name) => [`#${name}`, name])),
  };
  for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient(), pageSize: PAGE_SIZE }, query)) {
    const items = Items.map((item) => CallItem.parse(item));
    yield items
      .filter(({ createdAt }) => !isLater(createdAt, createdAtMs))
      .map((item) => parseRetainedCall(orgId, item));
  }
}

function markRecordingErased({ orgId, callId, updatedAtMs, hasRecording }: RetainedCall, clock: Clock): UpdateCommand {
  const [pending, processing] = IN_PROGRESS_STATUSES;
  const conditions = [
    'attribute_exists(pk)',
    'attribute_not_exists(dueAt)',
    'NOT #status IN (:pending, :processing)',
    ...(updatedAtMs === undefined ? [] : ['updatedAt = :seen']),
  ];
  return new UpdateCommand({
    ...table(),
    Key: trainingKey.call({ orgId, callId }),
    UpdateExpression: `SET recordingKey = :none, recordingErasedAt = :now${hasRecording ? ', updatedAt = :now' : ''}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':none': null,
      ':now': new Date(clock.now()).toISOString(),
      ':pending': pending,
      ':processing': processing,
      ...(updatedAtMs !== undefined && { ':seen': new Date(updatedAtMs).toISOString() }),
    },
  });
}

/** Returns the text with which every UUID v7 of a millisecond begins: the first 48 bits (RFC 9562, 5.7). */
function firstIdAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-`;
}

/**
 * Whether a call was created after a time. The query's range of ids is not enough, because some ids are not UUIDs v7
 * and contain no time.
 */
const isLater = (createdAt: string | undefined, ms: number): boolean => Date.parse(createdAt ?? '') > ms;

function parseRetainedCall(orgId: string, item: z.output<typeof CallItem>): RetainedCall {
  const updatedAtMs = Date.parse(item.updatedAt ?? '');
  return {
    orgId,
    callId: item.sk.slice(CALL_PREFIX.length),
    conversationId: item.conversationId,
    isInProgress: IN_PROGRESS_STATUSES.some((one) => one === item.status),
    hasRecording: item.recordingKey !== undefined,
    isRecordingErased: item.recordingErasedAt !== undefined,
    isDue: item.dueAt !== undefined,
    updatedAtMs: Number.isNaN(updatedAtMs) ? undefined : updatedAtMs,
  };
}
