import type { SecretStore } from '../../platform/secret-store.ts';
import { readSetting, requireSetting } from '../../platform/settings.ts';
import { VoiceProviderError } from '../voice-provider.ts';
import type { HttpSettings } from './http-client.ts';

const ELEVENLABS = 'https://api.elevenlabs.io';

/** What stands in a secret until somebody puts the key there: the deployment's value of chance, or a word for nothing. */
const NO_KEY = /^(?:[A-Za-z0-9]{64}|none|todo|changeme|)$/i;

/**
 * Where this deployment's voice provider is: ElevenLabs, or what speaks its API at `voiceBaseUrl` (ElevenLabs has other
 * origins for other regions; a laptop has its rehearsal agent).
 *
 * Every use of it throws a VoiceFailure that says what to do while no key has been put into the secret.
 */
export const createElevenLabsSettings = (secrets: SecretStore): HttpSettings => ({
  baseUrl: () => readSetting('voiceBaseUrl') ?? ELEVENLABS,
  apiKey: () => readApiKey(secrets),
});

async function readApiKey(secrets: SecretStore): Promise<string> {
  const key = await secrets.read(requireSetting('voiceSecretId')).catch((cause: unknown) => {
    throw new VoiceProviderError('The key of the voice provider could not be read.', { cause });
  });
  if (!NO_KEY.test(key.trim())) return key;
  throw new VoiceProviderError(
    'There is no key of the voice provider yet: put the API key of ElevenLabs into the secret that VOICE_SECRET_ID names.',
  );
}
