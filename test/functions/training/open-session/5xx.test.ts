import { expect, test } from 'vitest';
import type { VoiceSession } from '../../../../shared/training/ports.ts';
import { VoiceProviderError } from '../../../../shared/training/voice-provider-errors.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { setUpSessions } from '../../../support/training/sessions.ts';

useDynamo();

const failWith = (cause: unknown) => () => Promise.reject(cause);

test('503: if the provider fails, no session is opened or counted, and a later retry can succeed', async () => {
  const { open, voice, requestedAgents, stored, countedSessions } = await setUpSessions({
    limits: { sessionsPerDay: 1 },
  });
  const { respond } = voice;
  voice.respond = failWith(new VoiceProviderError('The voice provider responded with status 500 for secret-agent.'));
  const response = await open();
  expect(response).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
    body: { error: { code: 'service_unavailable' } },
  });
  expect(response.text).not.toContain('secret-agent');
  expect(requestedAgents).toHaveLength(1);
  expect(await stored()).toEqual({ calls: [], lookups: [] });
  expect(await countedSessions()).toBe(0);
  voice.respond = respond;
  expect((await open()).status).toBe(201);
  expect(await countedSessions()).toBe(1);
});

test.each<[string, VoiceSession]>([
  ['no signed URL', { signedUrl: '', conversationId: 'conv_1' }],
  ['no conversation id', { signedUrl: 't', conversationId: '' }],
  ['a conversation id that is too long for a key', { signedUrl: 't', conversationId: 'x'.repeat(3_000) }],
  ['a conversation id with invalid characters', { signedUrl: 't', conversationId: 'conv#1\n' }],
])('503: if the provider returns %s, no session is opened or counted', async (_, session) => {
  const { open, voice, stored, countedSessions } = await setUpSessions();
  voice.respond = async () => session;
  expect(await open()).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(await stored()).toEqual({ calls: [], lookups: [] });
  expect(await countedSessions()).toBe(0);
});

test('503: if the provider returns a conversation id twice to one process, only the first call is stored', async () => {
  const { open, voice, stored, countedSessions } = await setUpSessions();
  voice.respond = async () => ({ signedUrl: 't', conversationId: 'conv_twice' });
  const first = (await open()).body as { trainingCallId: string };
  const again = await open();
  expect(again).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  const { calls, lookups } = await stored();
  expect([calls.length, lookups]).toMatchObject([1, [{ callId: first.trainingCallId }]]);
  expect(await countedSessions()).toBe(1);
});

test('500: an unexpected error reveals no details, and the session is not counted', async () => {
  const { open, voice, stored, countedSessions } = await setUpSessions();
  voice.respond = failWith(new TypeError('token of agent_7 is undefined'));
  const response = await open();
  expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  expect(response.text).not.toContain('agent_7');
  expect(await stored()).toEqual({ calls: [], lookups: [] });
  expect(await countedSessions()).toBe(0);
});
