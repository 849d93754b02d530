import { afterEach, expect, test, vi } from 'vitest';
import { createVoiceProvider } from '../../../../shared/training/elevenlabs/voice-provider.ts';
import { failureOf, KEY, useElevenLabs } from '../../../support/training/elevenlabs-server.ts';

const { server } = useElevenLabs();
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const configure = () => {
  vi.stubEnv('VOICE_SECRET_ID', 'voice');
  vi.stubEnv('VOICE_BASE_URL', server().baseUrl);
};
const secrets = (key: string) => ({ read: vi.fn(async (_: string) => key) });

test('asks whom the deployment names with the key in its secret, read when it is needed', async () => {
  const held = secrets(KEY);
  const voice = createVoiceProvider(held);
  expect(held.read).not.toHaveBeenCalled();
  configure();
  await voice.openSession('a');
  expect(held.read).toHaveBeenCalledWith('voice');
  expect(server().calls[0]?.headers['xi-api-key']).toBe(KEY);
});

test('without a base URL it is ElevenLabs itself', async () => {
  vi.stubEnv('VOICE_SECRET_ID', 'voice');
  const asked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('offline'));
  await failureOf(createVoiceProvider(secrets(KEY)).readConversation('c'));
  expect(asked.mock.calls[0]?.[0]).toBe('https://api.elevenlabs.io/v1/convai/conversations/c');
});

test.each([
  ['the value of chance that the deployment makes', 'aB3'.repeat(22).slice(0, 64)],
  ['none', 'none'],
  ['white space', ' \n'],
])('%s is no key yet: the operator is told where it goes, and nobody is asked', async (_, key) => {
  configure();
  const error = await failureOf(createVoiceProvider(secrets(key)).openSession('a'));
  expect(error).toMatchObject({ name: 'VoiceFailure', message: expect.stringContaining('put the API key') });
  if (key.trim() !== '') expect(error.message).not.toContain(key === 'none' ? '"none"' : key);
  expect(server().calls).toEqual([]);
});

test('a key that can not be read is a failure of the voice provider, with its cause', async () => {
  configure();
  const error = await failureOf(
    createVoiceProvider({ read: () => Promise.reject(new Error('down')) }).openSession('a'),
  );
  expect(error).toMatchObject({ name: 'VoiceFailure', cause: { message: 'down' } });
  expect(server().calls).toEqual([]);
});
