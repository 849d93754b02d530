import type { SecretStore } from '../../platform/secret-store.ts';
import type { VoiceProvider } from '../voice-provider.ts';
import { createElevenLabsSettings } from './settings.ts';
import { createElevenLabsVoiceProvider } from './voice-provider.ts';

/** The voice provider of this deployment: see `configuredHttp`. */
export const createVoiceProvider = (secrets: SecretStore): VoiceProvider =>
  createElevenLabsVoiceProvider(createElevenLabsSettings(secrets));
