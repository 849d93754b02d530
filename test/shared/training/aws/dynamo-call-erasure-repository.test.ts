import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { uuidV7 } from '../../../../shared/platform/uuid-v7.ts';
import { createDynamoCallErasureRepository } from '../../../../shared/training/aws/dynamo-call-erasure-repository.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import { type CallIds, CallStatus } from '../../../../shared/training/call.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aConversation, anAnalysis, aScore, NOON } from '../../../support/training/calls.ts';
import { callItem, storedCall } from '../../../support/training/stored-calls.ts';

useDynamo();

const TableName = 'training';
const erasures = createDynamoCallErasureRepository();

async function inStatus(status: CallStatus): Promise<CallIds & { conversationId: string }> {
  const { orgId, callId, conversationId } = await storedCall({ callId: uuidV7(NOON) });
  const update = new UpdateCommand({
    TableName,
    Key: trainingKey.call({ orgId, callId }),
    UpdateExpression: 'SET #status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status },
  });
  await dynamoDocumentClient().send(update);
  return { orgId, callId, conversationId };
}
const item = async (Key: Record<string, string>) =>
  (await dynamoDocumentClient().send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

const OUTCOMES: Record<CallStatus, 'keeps' | 'deletes'> = {
  pending: 'keeps',
  processing: 'keeps',
  ready: 'deletes',
  failed: 'deletes',
  abandoned: 'deletes',
};

test.each(CallStatus.options.map((status) => [OUTCOMES[status], status] as const))(
  'deleteCall %s a call that is %s',
  async (outcome, status) => {
    const isInProgress = outcome === 'keeps';
    const call = await inStatus(status);
    expect(await erasures.findCall(call)).toEqual({ isInProgress, conversationId: call.conversationId });
    expect(await erasures.deleteCall(call)).toBe(!isInProgress);
    expect((await item(trainingKey.call(call))) === undefined).toBe(!isInProgress);
  },
);

test('deleting a call twice succeeds', async () => {
  const call = await inStatus('ready');
  await erasures.deleteCall(call);
  expect(await erasures.findCall(call)).toBeUndefined();
  expect(await erasures.deleteCall(call)).toBe(true);
});

test('deleteCall deletes a call with invalid attributes', async () => {
  const call = await inStatus('ready');
  const Item = { ...trainingKey.call(call), status: 7, conversationId: null, transcript: 'damaged' };
  await dynamoDocumentClient().send(new PutCommand({ TableName, Item }));
  expect(await erasures.findCall(call)).toEqual({ isInProgress: false, conversationId: undefined });
  expect(await erasures.deleteCall(call)).toBe(true);
});

test('a deleted call is not created again by a webhook, an analysis or the sweeper', async () => {
  const call = await inStatus('abandoned');
  const calls = createDynamoCallRepository({ now: () => NOON });
  const found = await calls.find(call);
  if (found === undefined) throw new Error('The call is missing.');
  await erasures.deleteCall(call);
  expect(await calls.moveToProcessing(call, aConversation(), NOON)).toBe('conflict');
  const result = { analysis: anAnalysis(), score: aScore(), recordingKey: null, dueAtMs: undefined };
  expect(await calls.moveToReady(call, result)).toBe('conflict');
  expect(await calls.endRecordingWork(call, 'recordings/a.mp3')).toBe('conflict');
  expect(await calls.endRecordingWork(call, null)).toBe('conflict');
  expect(await calls.reschedule({ ...found, dueAtMs: NOON }, NOON + 1)).toBe('conflict');
  expect(await calls.forceReschedule(call, NOON)).toBe('conflict');
  expect(await calls.failPending(call, 'No.')).toBe('conflict');
  expect(await calls.failProcessing(call, 'No.')).toBe('conflict');
  expect(await calls.abandon(call)).toBe('conflict');
  expect(await item(trainingKey.call(call))).toBeUndefined();
});

test('deleteConversationLookup deletes only a look-up item of the given call', async () => {
  const [call, other] = [await inStatus('ready'), await inStatus('ready')];
  await erasures.deleteConversationLookup(call.conversationId, other);
  expect(await createDynamoCallRepository().findIdsByConversation(call.conversationId)).toMatchObject({
    callId: call.callId,
  });
  await erasures.deleteConversationLookup(call.conversationId, call);
  expect(await createDynamoCallRepository().findIdsByConversation(call.conversationId)).toBeUndefined();
  await erasures.deleteConversationLookup(call.conversationId, call);
});

test('erasures are stored, are found when they are due (the longest overdue first), and are deleted', async () => {
  const calls = await Promise.all([2, 0, 1].map(async (at) => ({ at, ...(await inStatus('ready')) })));
  for (const { at, orgId, callId, conversationId } of calls) {
    await erasures.put({ orgId, callId, conversationId, cleared: at > 0, dueAtMs: NOON + at });
  }
  const ids = calls.toSorted((a, b) => a.at - b.at).map(({ orgId, callId }) => ({ orgId, callId }));
  expect(await erasures.findDue(NOON + 1, 160)).toEqual(ids.slice(0, 2));
  expect(await erasures.findDue(NOON - 1, 160)).toEqual([]);
  for (const { at, orgId, callId, conversationId } of calls) {
    const erasure = { orgId, callId, conversationId, cleared: at > 0, dueAtMs: NOON + at };
    expect(await erasures.find({ orgId, callId })).toEqual(erasure);
    await erasures.delete({ orgId, callId });
    expect(await erasures.find({ orgId, callId })).toBeUndefined();
  }
  expect(await erasures.findDue(NOON + 1, 160)).toEqual([]);
});

test('the record of an erasure has only its keys, the conversation id, `cleared`, the due time and the due shard', async () => {
  const { orgId, callId, conversationId } = await inStatus('ready');
  await erasures.put({ orgId, callId, conversationId, cleared: true, dueAtMs: NOON });
  expect(Object.keys((await item(trainingKey.erasure({ orgId, callId }))) ?? {}).sort()).toEqual(
    ['cleared', 'conversationId', 'dueAt', 'dueShard', 'pk', 'sk'].sort(),
  );
  expect(await callItem({ orgId, callId })).toMatchObject({ status: 'ready' });
  await erasures.delete({ orgId, callId });
});
