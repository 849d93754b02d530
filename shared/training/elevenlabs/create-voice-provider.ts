import type { Secrets } from '../../platform/secrets.ts';
import type { VoiceProvider } from '../voice-provider.ts';
import { createElevenLabsSettings } from './settings.ts';
import { createElevenLabsVoiceProvider } from './voice-provider.ts';

/** The voice provider of this deployment: see `configuredHttp`. */
export const createVoiceProvider = (secrets: Secrets): VoiceProvider =>
  createElevenLabsVoiceProvider(createElevenLabsSettings(secrets));
