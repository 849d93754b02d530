import { afterEach, expect, test, vi } from 'vitest';
import { createVoiceProvider } from '../../../../shared/training/elevenlabs/voice-provider.ts';
import { KEY, rejectionOf, useElevenLabs } from '../../../support/training/elevenlabs-server.ts';

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

test('the voice provider reads its key when it sends the first request, which goes to voiceBaseUrl with this key', async () => {
  const store = secrets(KEY);
  const voice = createVoiceProvider(store);
  expect(store.read).not.toHaveBeenCalled();
  configure();
  await voice.openVoiceSession('a');
  expect(store.read).toHaveBeenCalledWith('voice');
  expect(server().calls[0]?.headers['xi-api-key']).toBe(KEY);
});

test('requests go to the API of ElevenLabs when voiceBaseUrl is not set', async () => {
  vi.stubEnv('VOICE_SECRET_ID', 'voice');
  const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('offline'));
  await rejectionOf(createVoiceProvider(secrets(KEY)).readConversation('c'));
  expect(fetched.mock.calls[0]?.[0]).toBe('https://api.elevenlabs.io/v1/convai/conversations/c');
});

test.each([
  ['the random value that the deployment generates', 'aB3'.repeat(22).slice(0, 64)],
  ['the text “none”', 'none'],
  ['white space', ' \n'],
])(
  'when the secret is %s, the voice provider fails with instructions for the operator and sends no request',
  async (_, key) => {
    configure();
    const error = await rejectionOf(createVoiceProvider(secrets(key)).openVoiceSession('a'));
    expect(error).toMatchObject({
      name: 'VoiceProviderError',
      message: expect.stringContaining('Put the key of ElevenLabs'),
    });
    if (key.trim() !== '') expect(error.message).not.toContain(key === 'none' ? '"none"' : key);
    expect(server().calls).toEqual([]);
  },
);

test('the voice provider throws VoiceProviderError with the cause when the secret cannot be read', async () => {
  configure();
  const error = await rejectionOf(
    createVoiceProvider({ read: () => Promise.reject(new Error('down')) }).openVoiceSession('a'),
  );
  expect(error).toMatchObject({ name: 'VoiceProviderError', cause: { message: 'down' } });
  expect(server().calls).toEqual([]);
});
