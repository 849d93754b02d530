import { expect, test } from 'vitest';
import type { NewPersona } from '../../../../shared/training/persona.ts';
import {
  expectVoiceFailure,
  FAULTS,
  isSilent,
  KEY,
  says,
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
  ...FAULTS,
  ['a page', says(200, '<html>'), /something else/],
  ['no id', says(200, '{"agent_id":""}'), /something else/],
] as const)('%s: a failure; it is not asked again, as that might make two agents', async (_, fault, sentence) => {
  server().faults.push(fault);
  await expectVoiceFailure(voice().createAgent(aPersona()), sentence);
  expect(server().calls).toHaveLength(1);
});

test('slow: a failure when the time is up', async () => {
  server().faults.push(isSilent);
  await expectVoiceFailure(voice({ timeouts: { agent: 300 } }).createAgent(aPersona()), /no answer in time/);
});
