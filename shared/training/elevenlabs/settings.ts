import type { SecretStore } from '../../platform/secret-store.ts';
import { readSetting, requireSetting } from '../../platform/settings.ts';
import { VoiceProviderError } from '../voice-provider-errors.ts';
import type { ElevenLabsSettings } from './http-client.ts';

const ELEVENLABS = 'https://api.elevenlabs.io';

/**
 * Values of the secret before the operator has set the key: the random value that the deployment generates, a
 * placeholder, or an empty text.
 */
const PLACEHOLDER = /^(?:[A-Za-z0-9]{64}|none|todo|changeme|)$/i;

/**
 * The settings of this deployment. `voiceBaseUrl` can name another origin with the API of ElevenLabs: ElevenLabs in
 * another region, or the rehearsal agent that `npm start` runs. `apiKey` throws VoiceProviderError while the operator
 * has not set the key or the secret can't be read.
 */
export const createElevenLabsSettings = (secrets: SecretStore): ElevenLabsSettings => ({
  baseUrl: () => readSetting('voiceBaseUrl') ?? ELEVENLABS,
  apiKey: () => readApiKey(secrets),
});

async function readApiKey(secrets: SecretStore): Promise<string> {
  const key = await secrets.read(requireSetting('voiceSecretId')).catch((cause: unknown) => {
    throw new VoiceProviderError(
      'The API key of the voice provider could not be read from the secret that VOICE_SECRET_ID names. ' +
        'Check that the secret exists, and that the function may read it.',
      { cause },
    );
  });
  if (!PLACEHOLDER.test(key.trim())) return key;
  throw new VoiceProviderError(
    'The API key of the voice provider is not set. Put the key of ElevenLabs into the secret that VOICE_SECRET_ID names.',
  );
}
