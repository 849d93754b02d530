import { expect, test } from 'vitest';
import type { NewPersona } from '../../../shared/training/persona.ts';
import { breaks, failureOf, isSilent, KEY, says, useElevenLabs } from '../../support/elevenlabs-server.ts';

const { server, voice } = useElevenLabs();

const aPersona = (changes: Partial<NewPersona> = {}): NewPersona => ({
  name: 'Alex Example',
  language: 'de',
  voiceId: 'voice_1',
  character: 'Careful.',
  mood: 'Tired.',
  objections: ['Too expensive.'],
  ...changes,
});

test('an agent that needs a signed URL, and lets a session bring its prompt and first message', async () => {
  expect(await voice().createAgent(aPersona())).toBe('agent_1');
  expect(server().calls).toMatchObject([
    {
      method: 'POST',
      url: '/v1/convai/agents/create',
      headers: { 'xi-api-key': KEY, 'content-type': 'application/json' },
    },
  ]);
  expect(JSON.parse(server().calls[0]?.body ?? '')).toEqual({
    name: 'Alex Example',
    conversation_config: {
      agent: { language: 'de', first_message: expect.any(String), prompt: { prompt: expect.any(String) } },
      tts: { model_id: 'eleven_flash_v2_5', voice_id: 'voice_1' },
      conversation: { max_duration_seconds: 3_600 },
    },
    platform_settings: {
      auth: { enable_auth: true },
      overrides: { conversation_config_override: { agent: { first_message: true, prompt: { prompt: true } } } },
    },
  });
});

test('an English one speaks by the model that English agents are let have; no voice is no voice', async () => {
  const { voiceId: _, ...persona } = aPersona({ language: 'en' });
  await voice().createAgent(persona);
  expect(JSON.parse(server().calls[0]?.body ?? '').conversation_config.tts).toEqual({ model_id: 'eleven_flash_v2' });
});

test('what a persona is like stays with us until a session', async () => {
  await voice().createAgent(aPersona());
  expect(server().calls[0]?.body).not.toMatch(/Careful|Tired|expensive/);
});

test.each([
  ['down', breaks, /could not be reached/],
  ['a 401', says(401, 'sk_x Alex'), /answered 401/],
  ['a 422', says(422, 'sk_x Alex'), /answered 422/],
  ['a 429', says(429, ''), /answered 429/],
  ['a 500', says(500, ''), /answered 500/],
  ['a redirect', says(308, '', { location: '/elsewhere' }), /answered 308/],
  ['a page', says(200, '<html>'), /something else/],
  ['no id', says(200, '{"agent_id":""}'), /something else/],
])('%s: a failure; it is not asked again, as that might make two agents', async (_, fault, sentence) => {
  server().faults.push(fault);
  const error = await failureOf(voice().createAgent(aPersona()));
  expect(error).toMatchObject({ name: 'VoiceFailure', message: expect.stringMatching(sentence) });
  expect(`${error.message} ${String(error.cause)}`).not.toMatch(/sk_|Alex/);
  expect(server().calls).toHaveLength(1);
});

test('slow: a failure when the time is up', async () => {
  server().faults.push(isSilent);
  const error = await failureOf(voice({ timeouts: { agent: 300 } }).createAgent(aPersona()));
  expect(error).toMatchObject({ name: 'VoiceFailure', message: expect.stringContaining('no answer in time') });
});
