import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { uuidV7 } from '../../../../shared/platform/uuid-v7.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { createDynamoCallRetentionRepository } from '../../../../shared/training/aws/dynamo-call-retention-repository.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import type { RetainedCall } from '../../../../shared/training/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aConversation, anAnalysis, aScore, HOUR_MS, NOON } from '../../../support/training/calls.ts';
import { callItem, storedCall } from '../../../support/training/stored-calls.ts';

const { callsOf } = useDynamo();
const clock = { now: () => NOON + HOUR_MS };
const calls = createDynamoCallRetentionRepository(clock);

const stored = (orgId: string, createdAtMs: number, callId = uuidV7(createdAtMs)) =>
  storedCall({ orgId, callId, createdAtMs });
async function listUntil(orgId: string, atMs: number, after?: string): Promise<RetainedCall[]> {
  const found: RetainedCall[] = [];
  for await (const page of calls.listCreatedBefore(orgId, atMs, after)) found.push(...page);
  return found;
}
const idsUntil = async (...query: Parameters<typeof listUntil>) =>
  (await listUntil(...query)).map(({ callId }) => callId);
const READY = { analysis: anAnalysis(), score: aScore(), recordingKey: 'recordings/a.mp3' };

/** Stores a ready call with a recording. */
async function storeReady(orgId: string, dueAtMs?: number) {
  const call = await stored(orgId, NOON);
  const changes = createDynamoCallRepository({ now: () => NOON });
  await changes.moveToProcessing(call, aConversation(), NOON);
  await changes.moveToReady(call, { ...READY, dueAtMs });
  return call;
}
const readCall = async (orgId: string): Promise<RetainedCall> => {
  const [call] = await listUntil(orgId, NOON);
  if (call === undefined) throw new Error('The call is missing.');
  return call;
};

test('listCreatedBefore lists calls that were created at the given time or earlier, oldest first', async () => {
  const orgId = randomUUID();
  const created = [];
  for (const ms of [3, 0, 2, 1]) created.push({ ms, ...(await stored(orgId, NOON + ms)) });
  await stored(randomUUID(), NOON);
  const inOrder = created.toSorted((a, b) => a.ms - b.ms).map(({ callId }) => callId);
  expect(await idsUntil(orgId, NOON + 1)).toEqual(inOrder.slice(0, 2));
  expect(await idsUntil(orgId, NOON + 3)).toEqual(inOrder);
  expect(await idsUntil(orgId, NOON - 1)).toEqual([]);
  expect(await idsUntil(orgId, -1)).toEqual([]);
});

test('listCreatedBefore lists only calls after the given call, and only up to the given time', async () => {
  const orgId = randomUUID();
  const [first, second, third] = [await stored(orgId, NOON), await stored(orgId, NOON), await stored(orgId, NOON + 1)];
  const inOrder = [first.callId, second.callId].sort();
  expect(await idsUntil(orgId, NOON, inOrder[0])).toEqual(inOrder.slice(1));
  expect(await idsUntil(orgId, NOON + 1, inOrder[1])).toEqual([third.callId]);
  expect(await idsUntil(orgId, NOON, third.callId)).toEqual([]);
});

test('listCreatedBefore uses createdAt for calls whose id contains no time', async () => {
  const orgId = randomUUID();
  await stored(orgId, NOON + 1, '00000000-0000-4000-8000-000000000000');
  expect(await idsUntil(orgId, NOON)).toEqual([]);
  expect(await idsUntil(orgId, NOON + 1)).toHaveLength(1);
});

test('listCreatedBefore also lists a call with invalid attributes, as not in progress', async () => {
  const orgId = randomUUID();
  const callId = uuidV7(NOON);
  const Item = { ...trainingKey.call({ orgId, callId }), createdAt: 7, status: ['damaged'] };
  await dynamoDocumentClient().send(new PutCommand({ TableName: 'training', Item }));
  expect(await listUntil(orgId, NOON)).toMatchObject([{ callId, isInProgress: false, updatedAtMs: undefined }]);
});

test('listCreatedBefore lists 210 calls in pages of 100', async () => {
  const orgId = randomUUID();
  for (let at = 0; at < 210; at++) await stored(orgId, NOON - at);
  const pages: number[] = [];
  const requests = await callsOf(async () => {
    for await (const page of calls.listCreatedBefore(orgId, NOON)) pages.push(page.length);
  });
  expect(pages.filter((length) => length > 0)).toEqual([100, 100, 10]);
  expect(requests).toEqual(['Query', 'Query', 'Query']);
});

test('a listed call states its conversation id, and whether it is in progress, is due, or has a recording', async () => {
  const [pending, done, waiting] = [randomUUID(), randomUUID(), randomUUID()];
  await stored(pending, NOON);
  const { callId, conversationId } = await storeReady(done);
  await storeReady(waiting, NOON);
  expect(await readCall(pending)).toMatchObject({ isInProgress: true, hasRecording: false, isDue: true });
  expect(await readCall(done)).toEqual({
    orgId: done,
    callId,
    conversationId,
    isInProgress: false,
    hasRecording: true,
    isRecordingErased: false,
    isDue: false,
    updatedAtMs: NOON,
  });
  expect(await readCall(waiting)).toMatchObject({ isDue: true });
});

test('markRecordingErased removes the key of the recording, and stores the time of the erasure', async () => {
  const orgId = randomUUID();
  const call = await storeReady(orgId);
  const before = await callItem(call);
  expect(await calls.markRecordingErased(await readCall(orgId))).toBe(true);
  const at = new Date(NOON + HOUR_MS).toISOString();
  expect(await callItem(call)).toEqual({ ...before, recordingKey: null, recordingErasedAt: at, updatedAt: at });
  expect(await readCall(orgId)).toMatchObject({ isRecordingErased: true, hasRecording: false });
});

test('markRecordingErased writes nothing if the call is unknown, in progress or due, or was changed since the read', async () => {
  const [pending, waiting, changed] = [randomUUID(), randomUUID(), randomUUID()];
  const created = [await stored(pending, NOON), await storeReady(waiting, NOON), await storeReady(changed)];
  const before = await Promise.all(created.map(callItem));
  const seen = [
    await readCall(pending),
    await readCall(waiting),
    { ...(await readCall(changed)), updatedAtMs: NOON - 1 },
  ];
  for (const call of seen) expect(await calls.markRecordingErased(call)).toBe(false);
  expect(await Promise.all(created.map(callItem))).toEqual(before);
  const unknown = { ...(await readCall(changed)), callId: uuidV7(NOON), updatedAtMs: undefined };
  expect(await calls.markRecordingErased(unknown)).toBe(false);
  expect(await idsUntil(changed, NOON)).toHaveLength(1);
});

test('the cursor of recordings never moves back', async () => {
  const orgId = randomUUID();
  expect(await calls.readRecordingCursor(orgId)).toBeUndefined();
  await calls.saveRecordingCursor(orgId, 'b');
  await calls.saveRecordingCursor(orgId, 'a');
  expect(await calls.readRecordingCursor(orgId)).toBe('b');
  await calls.saveRecordingCursor(orgId, 'c');
  expect(await calls.readRecordingCursor(orgId)).toBe('c');
  expect(await listUntil(orgId, NOON)).toEqual([]);
});
