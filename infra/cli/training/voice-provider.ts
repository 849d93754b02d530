import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { createVoiceProvider } from '../../../shared/training/elevenlabs/create-voice-provider.ts';
import type { VoiceProvider } from '../../../shared/training/voice-provider.ts';
import { UserError } from '../../common/user-error.ts';

/** The voice provider for an operator: a deployment's secret is read by its functions alone. @throws FriendlyError */
export function operatorVoiceProvider(stage: string | undefined): VoiceProvider {
  if (stage === undefined) return createVoiceProvider(createExtensionSecretStore());
  const key = process.env.VOICE_API_KEY ?? '';
  if (key !== '') return createVoiceProvider({ read: async () => key });
  throw new UserError(
    'VOICE_API_KEY is not set: put the API key of the voice provider there, so that what it keeps is erased too.',
  );
}
