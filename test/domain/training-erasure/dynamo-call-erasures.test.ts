import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { dynamo } from '../../../shared/platform/clients.ts';
import { timeOrderedUuid } from '../../../shared/platform/time-ordered-ids.ts';
import type { CallIds, CallStatus } from '../../../shared/training/call.ts';
import { dynamoCallErasures } from '../../../shared/training/erasure/dynamo-call-erasures.ts';
import { dynamoCalls } from '../../../shared/training/lifecycle/dynamo-calls.ts';
import { trainingKey } from '../../../shared/training/training-table.ts';
import { STATUSES } from '../../support/call-worlds.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { callItem, storedCall } from '../../support/stored-calls.ts';
import { aConversation, NOON } from '../../support/training-calls.ts';

useDynamo();

const TableName = 'training';
const erasures = dynamoCallErasures();

async function inStatus(status: CallStatus): Promise<CallIds & { conversationId: string }> {
  const { orgId, callId, conversationId } = await storedCall({ callId: timeOrderedUuid(NOON) });
  const update = new UpdateCommand({
    TableName,
    Key: trainingKey.call({ orgId, callId }),
    UpdateExpression: 'SET #status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status },
  });
  await dynamo().send(update);
  return { orgId, callId, conversationId };
}
const item = async (Key: Record<string, string>) =>
  (await dynamo().send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

test.each(STATUSES)('a call that is %s is removed unless it is under way', async (status) => {
  const isUnderWay = status === 'pending' || status === 'processing';
  const call = await inStatus(status);
  expect(await erasures.find(call)).toEqual({ isUnderWay, conversationId: call.conversationId });
  expect(await erasures.removeCall(call)).toBe(!isUnderWay);
  expect((await item(trainingKey.call(call))) === undefined).toBe(!isUnderWay);
});

test('a call that is gone is unknown, and removing it again is as good', async () => {
  const call = await inStatus('ready');
  await erasures.removeCall(call);
  expect(await erasures.find(call)).toBeUndefined();
  expect(await erasures.removeCall(call)).toBe(true);
});

test('a damaged call can be erased', async () => {
  const call = await inStatus('ready');
  const Item = { ...trainingKey.call(call), status: 7, conversationId: null, transcript: 'torn' };
  await dynamo().send(new PutCommand({ TableName, Item }));
  expect(await erasures.find(call)).toEqual({ isUnderWay: false, conversationId: undefined });
  expect(await erasures.removeCall(call)).toBe(true);
});

test('no change of a call that is gone makes one: neither a webhook nor an analysis nor the sweeper', async () => {
  const call = await inStatus('abandoned');
  const calls = dynamoCalls({ now: () => NOON });
  const found = await calls.find(call);
  if (found === undefined) throw new Error('The call is missing.');
  await erasures.removeCall(call);
  expect(await calls.begin(call, aConversation(), NOON)).toBe('stale');
  expect(await calls.settleRecording(call, 'recordings/a.mp3')).toBe('stale');
  expect(await calls.settleRecording(call, null)).toBe('stale');
  expect(await calls.postpone({ ...found, dueAtMs: NOON }, NOON + 1)).toBe('stale');
  expect(await calls.putOff(call, NOON)).toBe('stale');
  expect(await calls.refuse(call, 'No.')).toBe('stale');
  expect(await calls.fail(call, 'No.')).toBe('stale');
  expect(await calls.abandon(call)).toBe('stale');
  expect(await item(trainingKey.call(call))).toBeUndefined();
});

test("a look-up goes with its call, and stays when it has become another's", async () => {
  const [call, other] = [await inStatus('ready'), await inStatus('ready')];
  await erasures.removeLookUp(call.conversationId, other);
  expect(await dynamoCalls().idsOf(call.conversationId)).toMatchObject({ callId: call.callId });
  await erasures.removeLookUp(call.conversationId, call);
  expect(await dynamoCalls().idsOf(call.conversationId)).toBeUndefined();
  await erasures.removeLookUp(call.conversationId, call);
});

test('an erasure is kept, found when it is due, the longest due first, and ended', async () => {
  const calls = await Promise.all([2, 0, 1].map(async (at) => ({ at, ...(await inStatus('ready')) })));
  for (const { at, orgId, callId, conversationId } of calls) {
    await erasures.keep({ orgId, callId, conversationId, cleared: at > 0, dueAtMs: NOON + at });
  }
  const ids = calls.toSorted((a, b) => a.at - b.at).map(({ orgId, callId }) => ({ orgId, callId }));
  expect(await erasures.due(NOON + 1, 160)).toEqual(ids.slice(0, 2));
  expect(await erasures.due(NOON - 1, 160)).toEqual([]);
  for (const { at, orgId, callId, conversationId } of calls) {
    const erasure = { orgId, callId, conversationId, cleared: at > 0, dueAtMs: NOON + at };
    expect(await erasures.erasure({ orgId, callId })).toEqual(erasure);
    await erasures.end({ orgId, callId });
    expect(await erasures.erasure({ orgId, callId })).toBeUndefined();
  }
  expect(await erasures.due(NOON + 1, 160)).toEqual([]);
});

test('its record holds ids, a mark and a time', async () => {
  const { orgId, callId, conversationId } = await inStatus('ready');
  await erasures.keep({ orgId, callId, conversationId, cleared: true, dueAtMs: NOON });
  expect(Object.keys((await item(trainingKey.erasure({ orgId, callId }))) ?? {}).sort()).toEqual(
    ['cleared', 'conversationId', 'dueAt', 'dueShard', 'pk', 'sk'].sort(),
  );
  expect(await callItem({ orgId, callId })).toMatchObject({ status: 'ready' });
  await erasures.end({ orgId, callId });
});
