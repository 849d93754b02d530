import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { countLoggedMetrics, loggedText } from '../../../support/logs/logged-metrics.ts';
import { MINUTE_MS, NOON } from '../../../support/training/calls.ts';
import {
  aConversationId,
  aTurn,
  audio,
  initiationFailure,
  setUpWebhook,
  transcription,
  unknownType,
} from '../../../support/training/voice-webhook.ts';

const received = { status: 200, body: { received: true } };

test('200: stores a conversation with its call, and starts its analysis', async () => {
  const { aCall, post, at, invoked } = setUpWebhook();
  const call = aCall();
  expect(await post(transcription(call.conversationId))).toMatchObject(received);
  expect(at(call)).toMatchObject({
    status: 'processing',
    conversation: {
      transcript: {
        json: JSON.stringify([
          { role: 'agent', message: 'That is too expensive.', timeInCallSecs: 0 },
          { role: 'user', message: 'What do you need?', timeInCallSecs: 3 },
        ]),
      },
      durationSeconds: 60,
      interruptions: null,
      hasAudio: true,
    },
    dueAtMs: NOON + 15 * MINUTE_MS,
  });
  expect(invoked).toEqual([{ orgId: call.orgId, callId: call.callId }]);
});

test('200: stores a conversation that arrives after its call was abandoned', async () => {
  const { aCall, post, at } = setUpWebhook();
  const call = aCall({ status: 'abandoned', dueAtMs: undefined });
  expect(await post(transcription(call.conversationId))).toMatchObject(received);
  expect(at(call)?.status).toBe('processing');
});

test('200: stores a transcript of 3,000 turns compressed in its call', async () => {
  const { aCall, post, at } = setUpWebhook();
  const call = aCall();
  const transcript = Array.from({ length: 3_000 }, (_, at) =>
    aTurn({ message: `Turn ${at} of ${'many '.repeat(20)}` }),
  );
  expect(await post(transcription(call.conversationId, { transcript }))).toMatchObject(received);
  const { transcript: stored } = at(call)?.conversation ?? {};
  const compressed = stored && 'compressed' in stored ? stored.compressed : Buffer.of();
  expect(compressed.length).toBeLessThan(153_600);
  expect(JSON.parse(gunzipSync(compressed).toString())).toHaveLength(3_000);
});

test('200: if a transcript is too large for the item of its call, stores it in the bucket before the call refers to it', async () => {
  const order: string[] = [];
  const objects = new Map<string, Uint8Array>();
  const put = async (key: string, compressed: Uint8Array) => {
    order.push('object');
    objects.set(key, compressed);
  };
  const { aCall, post, at, calls } = setUpWebhook({ ports: { transcripts: { put } } });
  const call = aCall();
  const { moveToProcessing } = calls;
  calls.moveToProcessing = (...transition) => {
    order.push('call');
    return moveToProcessing(...transition);
  };
  const transcript = Array.from({ length: 3_000 }, (_, at) =>
    aTurn({ message: `Turn ${at}: ${randomBytes(120).toString('base64')}` }),
  );
  expect(await post(transcription(call.conversationId, { transcript }))).toMatchObject(received);
  expect(order).toEqual(['object', 'call']);
  const stored = at(call)?.conversation?.transcript as { key: string };
  expect(stored.key).toContain(`${call.orgId}/${call.callId}`);
  expect(JSON.parse(gunzipSync(objects.get(stored.key) ?? '').toString())).toHaveLength(3_000);
});

test.each([
  ['empty', []],
  ['without turns of the trainee', [aTurn({ role: 'agent' })]],
  ['without turns of the customer', [aTurn()]],
])('200: sets a call to `processing` if the transcript of its finished conversation is %s', async (_, transcript) => {
  const { aCall, post, at } = setUpWebhook();
  const call = aCall();
  expect(await post(transcription(call.conversationId, { transcript }))).toMatchObject(received);
  expect(at(call)?.status).toBe('processing');
});

test('200: counts an event of an unknown conversation in a metric, and does nothing else', async () => {
  const { aCall, post, at, invoked, objects } = setUpWebhook();
  const call = aCall();
  for (const make of [transcription, initiationFailure])
    expect(await post(make(aConversationId()))).toMatchObject(received);
  expect(countLoggedMetrics()).toEqual({ VoiceConversationsUnknown: 2 });
  expect(at(call)).toEqual(call);
  expect([invoked, objects.size]).toEqual([[], 0]);
});

test('200: finds the call only by the conversation id, even if the event names another call, user or organization', async () => {
  const { aCall, post, at } = setUpWebhook();
  const [call, other] = [aCall(), aCall()];
  const names = { call_id: other.callId, orgId: other.orgId, id: other.callId, user_id: 'another' };
  const claimed = { ...names, conversation_initiation_client_data: { dynamic_variables: names } };
  expect(await post({ ...transcription(call.conversationId, claimed), ...names })).toMatchObject(received);
  expect(at(other)).toEqual(other);
  expect(at(call)?.status).toBe('processing');
});

test.each([
  ['busy', /busy/],
  ['no-answer', /was not answered/],
  ['unknown', /provider could not start/],
  [null, /provider could not start/],
  ['__proto__', /provider could not start/],
  [{ sip: 486 }, /provider could not start/],
])('200: sets a call that could not start (%j) to `failed`, with a readable reason', async (why, reason) => {
  const { aCall, post, at, invoked } = setUpWebhook();
  const call = aCall();
  expect(await post(initiationFailure(call.conversationId, why))).toMatchObject(received);
  expect(at(call)).toMatchObject({
    status: 'failed',
    failureReason: expect.stringMatching(reason),
    dueAtMs: undefined,
  });
  expect(at(call)?.failureReason).toMatch(/^[A-Z].*\.$/);
  expect(invoked).toEqual([]);
});

test('200: stores a failed conversation if the trainee has spoken; otherwise sets its call to `failed`', async () => {
  const { aCall, post, at, invoked } = setUpWebhook();
  const [spoken, silent] = [aCall(), aCall()];
  expect(await post(transcription(spoken.conversationId, { status: 'failed' }))).toMatchObject(received);
  expect(at(spoken)?.status).toBe('processing');
  const transcript = [aTurn({ role: 'agent' })];
  expect(await post(transcription(silent.conversationId, { status: 'failed', transcript }))).toMatchObject(received);
  expect(at(silent)).toMatchObject({
    status: 'failed',
    failureReason: expect.stringMatching(/before the trainee said anything/),
  });
  expect(invoked).toHaveLength(1);
});

test.each(['initiated', 'in-progress', 'processing'])(
  '200: if an event reports that its conversation is %s, counts it in a metric and changes nothing',
  async (status) => {
    const { aCall, post, at } = setUpWebhook();
    const call = aCall();
    expect(await post(transcription(call.conversationId, { status }))).toMatchObject(received);
    expect(at(call)).toEqual(call);
    expect(countLoggedMetrics()).toEqual({ VoiceConversationsInProgress: 1 });
  },
);

test.each([undefined, 'done', 'archived', 7])('200: stores a conversation with the status %j', async (status) => {
  const { aCall, post, at } = setUpWebhook();
  const call = aCall();
  expect(await post(transcription(call.conversationId, { status }))).toMatchObject(received);
  expect(at(call)?.status).toBe('processing');
});

test('200: counts audio events and events of unknown types in metrics, and changes nothing', async () => {
  const { aCall, post, at, invoked } = setUpWebhook();
  const call = aCall();
  for (const event of [audio(call.conversationId), unknownType(call.conversationId), { type: 'x' }])
    expect(await post(event)).toMatchObject(received);
  expect(at(call)).toEqual(call);
  expect(invoked).toEqual([]);
  expect(countLoggedMetrics()).toEqual({ VoiceAudioEvents: 1, VoiceEventsOfUnknownType: 2 });
});

test('200: if the analysis cannot be invoked, logs the failure and leaves the call due, so that the sweeper starts it', async () => {
  const { aCall, post, at } = setUpWebhook({
    ports: { invokeProcessCall: () => Promise.reject(new Error('Lambda is throttled')) },
  });
  const call = aCall();
  expect(await post(transcription(call.conversationId))).toMatchObject(received);
  expect(at(call)).toMatchObject({ status: 'processing', dueAtMs: NOON + 15 * MINUTE_MS });
  expect(countLoggedMetrics()).toEqual({ VoiceAnalysesNotStarted: 1 });
  expect(loggedText()).toContain('Lambda is throttled');
});

test('the log contains neither the conversation nor its speakers', async () => {
  const { aCall, post } = setUpWebhook({
    ports: { invokeProcessCall: () => Promise.reject(new Error('down')) },
  });
  const call = aCall();
  const secret = 'Erika Mustermann of 12 High Street';
  const personal = { transcript: [aTurn({ message: secret })], user_id: secret, agent_name: secret };
  for (let time = 0; time < 2; time++) await post(transcription(call.conversationId, personal));
  await post({ type: 'post_call_transcription', data: { transcript: secret, conversation_id: secret } });
  await post({ type: secret });
  await post(`{"${secret}`);
  expect(loggedText()).not.toContain('Mustermann');
});
