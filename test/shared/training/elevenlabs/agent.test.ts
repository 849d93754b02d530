import { expect, test } from 'vitest';
import type { NewPersona } from '../../../../shared/training/persona.ts';
import {
  expectVoiceProviderError,
  FAULTS,
  KEY,
  neverRespond,
  respondWith,
  useElevenLabs,
} from '../../../support/training/elevenlabs-server.ts';

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

test('createAgent creates an agent that requires a signed URL; sessions may override prompt and first message', async () => {
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

test('for an English persona without a voice, createAgent selects a speech model for English, and no voice', async () => {
  const { voiceId: _, ...persona } = aPersona({ language: 'en' });
  await voice().createAgent(persona);
  expect(JSON.parse(server().calls[0]?.body ?? '').conversation_config.tts).toEqual({ model_id: 'eleven_flash_v2' });
});

test('createAgent does not send the character, mood or objections of the persona', async () => {
  await voice().createAgent(aPersona());
  expect(server().calls[0]?.body).not.toMatch(/Careful|Tired|expensive/);
});

test.each([
  ...FAULTS,
  ['an HTML page', respondWith(200, '<html>'), /does not match its API/],
  ['an empty agent id', respondWith(200, '{"agent_id":""}'), /does not match its API/],
] as const)(
  'createAgent fails after %s without a retry, because a retry could create a second agent',
  async (_, fault, message) => {
    server().faults.push(fault);
    await expectVoiceProviderError(voice().createAgent(aPersona()), message);
    expect(server().calls).toHaveLength(1);
  },
);

test('createAgent fails after the time-out', async () => {
  server().faults.push(neverRespond);
  await expectVoiceProviderError(voice({ timeouts: { agent: 300 } }).createAgent(aPersona()), /time-out/);
});
