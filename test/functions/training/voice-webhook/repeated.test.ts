import { expect, test, vi } from 'vitest';
import { countLoggedMetrics } from '../../../support/logs/logged-metrics.ts';
import { anAnalysis, aScore, MINUTE_MS } from '../../../support/training/calls.ts';
import {
  aTurn,
  initiationFailure,
  setUpWebhook,
  signatureOf,
  transcription,
} from '../../../support/training/voice-webhook.ts';

const another = (conversationId: string) =>
  transcription(conversationId, { transcript: [aTurn({ message: 'Something else.' })] });

test('200: a redelivered transcription does not change the call; it invokes an unfinished analysis again', async () => {
  const { aCall, post, at, invoked } = setUpWebhook();
  const call = aCall();
  await post(transcription(call.conversationId));
  const before = at(call);
  expect((await post(transcription(call.conversationId))).status).toBe(200);
  expect((await post(another(call.conversationId))).status).toBe(200);
  expect(at(call)).toBe(before);
  expect(invoked).toEqual(new Array(3).fill({ orgId: call.orgId, callId: call.callId }));
  expect(countLoggedMetrics()).toEqual({ VoiceEventsStale: 2 });
});

test('200: of twenty concurrent copies of an event, one is applied', async () => {
  const { aCall, post, calls } = setUpWebhook();
  const call = aCall();
  const moveToProcessing = vi.spyOn(calls, 'moveToProcessing');
  const responses = await Promise.all(Array.from({ length: 20 }, () => post(transcription(call.conversationId))));
  expect(responses.map(({ status }) => status)).toEqual(new Array(20).fill(200));
  const outcomes = await Promise.all(moveToProcessing.mock.results.map(({ value }) => value));
  expect(outcomes.filter((each) => each === 'applied')).toHaveLength(1);
  expect(countLoggedMetrics()).toEqual({ VoiceEventsStale: 19 });
});

test('200: ignores a failure after a transcription, and a transcription after a failure', async () => {
  const { aCall, post, at, invoked } = setUpWebhook();
  const [held, failed] = [aCall(), aCall()];
  await post(transcription(held.conversationId));
  expect((await post(initiationFailure(held.conversationId))).status).toBe(200);
  expect(at(held)).toMatchObject({ status: 'processing', failureReason: null });
  await post(initiationFailure(failed.conversationId));
  expect((await post(transcription(failed.conversationId))).status).toBe(200);
  expect(at(failed)).toMatchObject({ status: 'failed', conversation: undefined });
  expect(invoked).toHaveLength(1);
});

test.each([
  ['processing', 1],
  ['ready', 0],
  ['failed', 0],
] as const)('200: for a call that is %s, events change nothing and invoke %i analyses', async (status, times) => {
  const { aCall, post, at, invoked } = setUpWebhook();
  const call = aCall({ status });
  for (const event of [transcription(call.conversationId), initiationFailure(call.conversationId)])
    expect((await post(event)).status).toBe(200);
  expect(at(call)).toEqual(call);
  expect(invoked).toHaveLength(times);
});

test('200: if the call of a redelivered event cannot be read, counts this in metrics and invokes no analysis', async () => {
  const { aCall, post, at, calls, invoked } = setUpWebhook();
  const call = aCall({ status: 'processing' });
  calls.find = () => Promise.reject(new Error('throttled'));
  expect((await post(transcription(call.conversationId))).status).toBe(200);
  expect([at(call), invoked]).toEqual([call, []]);
  expect(countLoggedMetrics()).toEqual({ VoiceEventsStale: 1, VoiceAnalysesNotStarted: 1 });
});

test('401: rejects a request that is replayed after half an hour; an earlier replay does not change a scored call', async () => {
  const { aCall, call: send, calls, at, clock, invoked } = setUpWebhook();
  const call = aCall();
  const body = JSON.stringify(transcription(call.conversationId));
  const captured = { body, headers: signatureOf(body) };
  expect((await send(captured)).status).toBe(200);
  await calls.moveToReady(call, { analysis: anAnalysis(), score: aScore(), recordingKey: null, dueAtMs: undefined });
  const scored = at(call);
  clock.ms += 30 * MINUTE_MS;
  expect((await send(captured)).status).toBe(200);
  clock.ms += 1;
  expect((await send(captured)).status).toBe(401);
  expect(at(call)).toBe(scored);
  expect(invoked).toHaveLength(1);
});
