import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { CallRetentionRepository, RetainedCall } from '../retained-call.ts';
import { IN_PROGRESS_STATUSES } from './dynamo-call-erasure-repository.ts';
import { trainingKey } from './training-table.ts';

/** Looked at in a call: calls hold transcripts, and a page has a megabyte at most. */
const PAGE = 100;

/** Also of a record that is damaged. */
const text = z.catch(z.optional(z.string().check(z.minLength(1))), undefined);
const Item = z.object({
  ...{ sk: z.string(), status: text, conversationId: text, createdAt: text, updatedAt: text },
  ...{ recordingKey: text, recordingErasedAt: text, dueAt: text },
});
const NAMES = Object.keys(Item.shape);
const Done = z.object({ recordingsDone: z.string() });

const PREFIX = trainingKey.call({ orgId: '', callId: '' }).sk;

type Client = () => DynamoDBDocumentClient;

/** Calls in the training table by their keys, which are UUIDs of version 7 and so in the order of time. */
export function createDynamoCallRetentionRepository(
  client: Client = dynamoDocumentClient,
  clock: Clock = systemClock,
): CallRetentionRepository {
  return {
    listCreatedBefore: (orgId, createdAtMs, after) => pagesUntil(client, orgId, createdAtMs, after),
    readRecordingCursor: async (orgId) => {
      const get = new GetCommand({ ...table(), Key: trainingKey.retention(orgId), ConsistentRead: true });
      const { Item: item } = await client().send(get);
      return item && Done.parse(item).recordingsDone;
    },
    saveRecordingCursor: async (orgId, callId) => {
      const put = new PutCommand({
        ...table(),
        Item: { ...trainingKey.retention(orgId), recordingsDone: callId },
        ConditionExpression: 'attribute_not_exists(pk) OR recordingsDone < :call',
        ExpressionAttributeValues: { ':call': callId },
      });
      await undefinedIfConditionFailed(client().send(put));
    },
    markRecordingErased: async (call) =>
      (await undefinedIfConditionFailed(client().send(withoutRecording(call, clock)))) !== undefined,
  };
}

const table = () => ({ TableName: requireSetting('trainingTable') });

async function* pagesUntil(
  client: Client,
  orgId: string,
  createdAtMs: number,
  after = '',
): AsyncGenerator<RetainedCall[]> {
  const end = firstIdAt(createdAtMs + 1);
  // DynamoDB refuses a range that ends before it begins.
  if (createdAtMs < 0 || after >= end) return;
  const query = {
    ...table(),
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': trainingKey.call({ orgId, callId: '' }).pk,
      // Both ends belong to it: one character more is after the call, and before every other.
      ':from': `${PREFIX}${after}${after === '' ? '' : '!'}`,
      ':to': `${PREFIX}${end}`,
    },
    ProjectionExpression: NAMES.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(NAMES.map((name) => [`#${name}`, name])),
  };
  for await (const { Items = [] } of paginateQuery({ client: client(), pageSize: PAGE }, query)) {
    const items = Items.map((item) => Item.parse(item));
    yield items
      .filter(({ createdAt }) => !isLater(createdAt, createdAtMs))
      .map((item) => parseRetainedCall(orgId, item));
  }
}

function withoutRecording({ orgId, callId, updatedAtMs, hasRecording }: RetainedCall, clock: Clock): UpdateCommand {
  const [pending, processing] = IN_PROGRESS_STATUSES;
  const asItWas = updatedAtMs === undefined ? '' : ' AND updatedAt = :seen';
  return new UpdateCommand({
    ...table(),
    Key: trainingKey.call({ orgId, callId }),
    UpdateExpression: `SET recordingKey = :none, recordingErasedAt = :now${hasRecording ? ', updatedAt = :now' : ''}`,
    ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(dueAt) AND NOT #status IN (:pending, :processing)${asItWas}`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ...{ ':none': null, ':now': new Date(clock.now()).toISOString() },
      ...{ ':pending': pending, ':processing': processing },
      ...(updatedAtMs !== undefined && { ':seen': new Date(updatedAtMs).toISOString() }),
    },
  });
}

/** The first id of version 7 of a millisecond: all ids of earlier ones sort before it (RFC 9562, 5.7). */
function firstIdAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-`;
}

/** Of an id of another version, the record tells the time. */
const isLater = (createdAt: string | undefined, ms: number): boolean => Date.parse(createdAt ?? '') > ms;

function parseRetainedCall(orgId: string, item: z.output<typeof Item>): RetainedCall {
  const updatedAtMs = Date.parse(item.updatedAt ?? '');
  return {
    orgId,
    callId: item.sk.slice(PREFIX.length),
    conversationId: item.conversationId,
    isInProgress: IN_PROGRESS_STATUSES.some((one) => one === item.status),
    hasRecording: item.recordingKey !== undefined,
    isRecordingErased: item.recordingErasedAt !== undefined,
    isDue: item.dueAt !== undefined,
    updatedAtMs: Number.isNaN(updatedAtMs) ? undefined : updatedAtMs,
  };
}
