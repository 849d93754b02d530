import { expect, test } from 'vitest';
import { counted } from '../../support/counted.ts';
import { MINUTE_MS } from '../../support/training-calls.ts';
import { aTurn, initiationFailure, setUpWebhook, signatureOf, transcription } from '../../support/voice-webhook.ts';

const another = (conversationId: string) =>
  transcription(conversationId, { transcript: [aTurn({ message: 'Something else.' })] });

test('200: an event that comes again changes nothing and starts nothing', async () => {
  const { aCall, post, at, started } = setUpWebhook();
  const call = aCall();
  await post(transcription(call.conversationId));
  const kept = at(call);
  expect((await post(transcription(call.conversationId))).status).toBe(200);
  expect((await post(another(call.conversationId))).status).toBe(200);
  expect(at(call)).toBe(kept);
  expect(started).toHaveLength(1);
  expect(counted()).toEqual({ VoiceEventsRepeated: 2 });
});

test('200: twenty of the same at once are one', async () => {
  const { aCall, post, started } = setUpWebhook();
  const call = aCall();
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(transcription(call.conversationId))));
  expect(answers.map(({ status }) => status)).toEqual(new Array(20).fill(200));
  expect(started).toHaveLength(1);
  expect(counted()).toEqual({ VoiceEventsRepeated: 19 });
});

test('200: after a transcription a failure is ignored, and after a failure a transcription', async () => {
  const { aCall, post, at, started } = setUpWebhook();
  const [held, refused] = [aCall(), aCall()];
  await post(transcription(held.conversationId));
  expect((await post(initiationFailure(held.conversationId))).status).toBe(200);
  expect(at(held)).toMatchObject({ status: 'processing', failureReason: null });
  await post(initiationFailure(refused.conversationId));
  expect((await post(transcription(refused.conversationId))).status).toBe(200);
  expect(at(refused)).toMatchObject({ status: 'failed', conversation: undefined });
  expect(started).toHaveLength(1);
});

test.each(['processing', 'ready', 'failed'] as const)('200: a call that is %s stays as it is', async (status) => {
  const { aCall, post, at, started } = setUpWebhook();
  const call = aCall({ status });
  for (const event of [transcription(call.conversationId), initiationFailure(call.conversationId)])
    expect((await post(event)).status).toBe(200);
  expect(at(call)).toEqual(call);
  expect(started).toEqual([]);
});

test('401: a request that was seen on its way can be sent again for half an hour, and does nothing then either', async () => {
  const { aCall, call: send, clock, started } = setUpWebhook();
  const body = JSON.stringify(transcription(aCall().conversationId));
  const captured = { body, headers: signatureOf(body) };
  expect((await send(captured)).status).toBe(200);
  clock.ms += 30 * MINUTE_MS;
  expect((await send(captured)).status).toBe(200);
  clock.ms += 1;
  expect((await send(captured)).status).toBe(401);
  expect(started).toHaveLength(1);
});
