import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { createVoiceProvider } from '../../../shared/training/elevenlabs/voice-provider.ts';
import type { VoiceProvider } from '../../../shared/training/ports.ts';
import { UserError } from '../../common/user-error.ts';

export const VOICE_KEY_HELP =
  'With --stage, set the environment variable VOICE_API_KEY to the API key of the voice provider.';

/**
 * Creates the voice provider of a stage, or of the local service if `stage` is undefined. Only functions can read the
 * secret of a deployment, so operators must give the API key of a stage in `VOICE_API_KEY`.
 *
 * @param hint completes the message about a missing key
 * @throws UserError if `stage` is given and `VOICE_API_KEY` is not set
 */
export function operatorVoiceProvider(
  stage: string | undefined,
  hint = 'so that the data of the calls at the provider is erased too',
): VoiceProvider {
  if (stage === undefined) return createVoiceProvider(createExtensionSecretStore());
  const key = process.env.VOICE_API_KEY ?? '';
  if (key !== '') return createVoiceProvider({ read: async () => key });
  throw new UserError(`VOICE_API_KEY is not set: set it to the API key of the voice provider, ${hint}.`);
}
