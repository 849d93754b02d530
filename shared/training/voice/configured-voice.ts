import type { Secrets } from '../../platform/secrets.ts';
import { configuredHttp } from './configured-http.ts';
import { elevenLabs } from './elevenlabs.ts';
import type { VoiceProvider } from './voice-provider.ts';

/** The voice provider of this deployment: see `configuredHttp`. */
export const configuredVoice = (secrets: Secrets): VoiceProvider => elevenLabs(configuredHttp(secrets));
