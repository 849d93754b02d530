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
const calls = createDynamoCallRetentionRepository(undefined, clock);

const stored = (orgId: string, createdAtMs: number, callId = uuidV7(createdAtMs)) =>
  storedCall({ orgId, callId, createdAtMs });
async function until(orgId: string, atMs: number, after?: string): Promise<RetainedCall[]> {
  const found: RetainedCall[] = [];
  for await (const page of calls.listCreatedBefore(orgId, atMs, after)) found.push(...page);
  return found;
}
const idsUntil = async (...asked: Parameters<typeof until>) => (await until(...asked)).map(({ callId }) => callId);
const READY = { analysis: anAnalysis(), score: aScore(), recordingKey: 'recordings/a.mp3' };

/** A call that is ready, with a recording. */
async function ready(orgId: string, dueAtMs?: number) {
  const call = await stored(orgId, NOON);
  const changes = createDynamoCallRepository({ now: () => NOON });
  await changes.startProcessing(call, aConversation(), NOON);
  await changes.complete(call, { ...READY, dueAtMs });
  return call;
}
const oldCall = async (orgId: string): Promise<RetainedCall> => {
  const [call] = await until(orgId, NOON);
  if (call === undefined) throw new Error('The call is missing.');
  return call;
};

test('calls up to an instant, to the millisecond, the oldest first, of this organization alone', async () => {
  const orgId = randomUUID();
  const made = [];
  for (const ms of [3, 0, 2, 1]) made.push({ ms, ...(await stored(orgId, NOON + ms)) });
  await stored(randomUUID(), NOON);
  const inOrder = made.toSorted((a, b) => a.ms - b.ms).map(({ callId }) => callId);
  expect(await idsUntil(orgId, NOON + 1)).toEqual(inOrder.slice(0, 2));
  expect(await idsUntil(orgId, NOON + 3)).toEqual(inOrder);
  expect(await idsUntil(orgId, NOON - 1)).toEqual([]);
  expect(await idsUntil(orgId, -1)).toEqual([]);
});

test('goes on after a call, also where that is later than the instant', async () => {
  const orgId = randomUUID();
  const [first, second, third] = [await stored(orgId, NOON), await stored(orgId, NOON), await stored(orgId, NOON + 1)];
  const inOrder = [first.callId, second.callId].sort();
  expect(await idsUntil(orgId, NOON, inOrder[0])).toEqual(inOrder.slice(1));
  expect(await idsUntil(orgId, NOON + 1, inOrder[1])).toEqual([third.callId]);
  expect(await idsUntil(orgId, NOON, third.callId)).toEqual([]);
});

test('a call whose id tells no time is judged by its record', async () => {
  const orgId = randomUUID();
  await stored(orgId, NOON + 1, '00000000-0000-4000-8000-000000000000');
  expect(await idsUntil(orgId, NOON)).toEqual([]);
  expect(await idsUntil(orgId, NOON + 1)).toHaveLength(1);
});

test('a damaged call is found by its key, so that it goes', async () => {
  const orgId = randomUUID();
  const callId = uuidV7(NOON);
  const Item = { ...trainingKey.call({ orgId, callId }), createdAt: 7, status: ['torn'] };
  await dynamoDocumentClient().send(new PutCommand({ TableName: 'training', Item }));
  expect(await until(orgId, NOON)).toMatchObject([{ callId, isInProgress: false, updatedAtMs: undefined }]);
});

test('hundreds of calls come a page at a time', async () => {
  const orgId = randomUUID();
  for (let at = 0; at < 210; at++) await stored(orgId, NOON - at);
  const pages: number[] = [];
  const asked = await callsOf(async () => {
    for await (const page of calls.listCreatedBefore(orgId, NOON)) pages.push(page.length);
  });
  expect(pages.filter((length) => length > 0)).toEqual([100, 100, 10]);
  expect(asked).toEqual(['Query', 'Query', 'Query']);
});

test('tells what an erasure of the recording asks: its state, its key, whether one may come', async () => {
  const [pending, done, waiting] = [randomUUID(), randomUUID(), randomUUID()];
  await stored(pending, NOON);
  const { callId, conversationId } = await ready(done);
  await ready(waiting, NOON);
  expect(await oldCall(pending)).toMatchObject({ isInProgress: true, hasRecording: false, isDue: true });
  expect(await oldCall(done)).toEqual({
    ...{ orgId: done, callId, conversationId, isInProgress: false, hasRecording: true },
    ...{ isRecordingErased: false, isDue: false, updatedAtMs: NOON },
  });
  expect(await oldCall(waiting)).toMatchObject({ isDue: true });
});

test('a call without its recording says null, keeps the rest, and is told so', async () => {
  const orgId = randomUUID();
  const call = await ready(orgId);
  const before = await callItem(call);
  expect(await calls.markRecordingErased(await oldCall(orgId))).toBe(true);
  const at = new Date(NOON + HOUR_MS).toISOString();
  expect(await callItem(call)).toEqual({ ...before, recordingKey: null, recordingErasedAt: at, updatedAt: at });
  expect(await oldCall(orgId)).toMatchObject({ isRecordingErased: true, hasRecording: false });
});

test('nothing is written of a call that is gone, under way, waits for its recording, or was changed meanwhile', async () => {
  const [pending, waiting, changed] = [randomUUID(), randomUUID(), randomUUID()];
  const made = [await stored(pending, NOON), await ready(waiting, NOON), await ready(changed)];
  const before = await Promise.all(made.map(callItem));
  const seen = [await oldCall(pending), await oldCall(waiting), { ...(await oldCall(changed)), updatedAtMs: NOON - 1 }];
  for (const call of seen) expect(await calls.markRecordingErased(call)).toBe(false);
  expect(await Promise.all(made.map(callItem))).toEqual(before);
  const gone = { ...(await oldCall(changed)), callId: uuidV7(NOON), updatedAtMs: undefined };
  expect(await calls.markRecordingErased(gone)).toBe(false);
  expect(await idsUntil(changed, NOON)).toHaveLength(1);
});

test('how far recordings have come never goes back', async () => {
  const orgId = randomUUID();
  expect(await calls.readRecordingCursor(orgId)).toBeUndefined();
  await calls.saveRecordingCursor(orgId, 'b');
  await calls.saveRecordingCursor(orgId, 'a');
  expect(await calls.readRecordingCursor(orgId)).toBe('b');
  await calls.saveRecordingCursor(orgId, 'c');
  expect(await calls.readRecordingCursor(orgId)).toBe('c');
  expect(await until(orgId, NOON)).toEqual([]);
});
