import { expect, test } from 'vitest';
import { createDynamoCallErasureRepository } from '../../../../shared/training/aws/dynamo-call-erasure-repository.ts';
import { createDynamoCallOutbox } from '../../../../shared/training/aws/dynamo-call-outbox.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import type { CallIds } from '../../../../shared/training/call.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aConversation, anAnalysis, aScore, NOON } from '../../../support/training/calls.ts';
import { storedCall } from '../../../support/training/stored-calls.ts';

useDynamo();

const outbox = createDynamoCallOutbox();
const calls = createDynamoCallRepository({ now: () => NOON });
const idsOf = ({ orgId, callId }: CallIds) => ({ orgId, callId });
const isListed = async ({ callId }: CallIds, nowMs = NOON) =>
  (await outbox.listDue(nowMs, 100)).due.some((one) => one.callId === callId);

async function scoredCall(dueAtMs?: number) {
  const call = await storedCall();
  await calls.moveToProcessing(call, aConversation(), NOON + 60_000);
  expect(await isListed(call)).toBe(false);
  await calls.moveToReady(call, { analysis: anAnalysis(), score: aScore(), recordingKey: null, dueAtMs });
  return call;
}

test('scoring a call puts the call into the outbox in the same write; clear removes it and keeps the result', async () => {
  const call = await scoredCall();
  expect([await isListed(call, NOON - 1), await isListed(call)]).toEqual([false, true]);
  const scoredAt = new Date(NOON).toISOString();
  expect(await outbox.read(idsOf(call))).toMatchObject({ state: { scoredAt, score: aScore() }, isInOutbox: true });
  expect([await outbox.clear(call), await outbox.clear(call)]).toEqual([true, false]);
  expect(await isListed(call)).toBe(false);
  expect(await outbox.read(idsOf(call))).toMatchObject({ state: { scoredAt }, isInOutbox: false });
});

test('a call can be due for its recording and be in the outbox at the same time', async () => {
  const call = await scoredCall(NOON + 5);
  await outbox.clear(call);
  expect((await calls.find(call))?.dueAtMs).toBe(NOON + 5);
  const other = await scoredCall(NOON + 5);
  await calls.endRecordingWork(other, 'recordings/a/b.mp3');
  expect(await isListed(other)).toBe(true);
});

test('a call that was not scored, or was erased, is not in the outbox', async () => {
  expect(await outbox.read(idsOf(await storedCall()))).toBeUndefined();
  const call = await scoredCall();
  await createDynamoCallErasureRepository().deleteCall(idsOf(call));
  expect([await isListed(call), await outbox.read(idsOf(call)), await outbox.clear(call)]).toEqual([
    ...[false, undefined, false],
  ]);
});
