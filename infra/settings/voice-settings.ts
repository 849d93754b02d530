import { Annotations, type Stack } from 'aws-cdk-lib';
import { parseSecureBaseUrl } from '../../shared/platform/secure-base-url.ts';
import type { Settings } from './settings.ts';

/** The provider of the simulated customers' voices. */
export type VoiceSettings = {
  /** URL of ElevenLabs in another region or of a compatible API; absent: ElevenLabs' default. */
  baseUrl?: string;
};

/**
 * Reads `voiceBaseUrl` from CDK context.
 *
 * @throws Error with a message for the operator
 */
export function parseVoiceSettings(context: Settings): VoiceSettings {
  const baseUrl = context('voiceBaseUrl');
  if (baseUrl === undefined) return {};
  // Rejects http also for localhost: a function has no service on its own host.
  if (typeof baseUrl !== 'string' || parseSecureBaseUrl(baseUrl)?.protocol !== 'https:') {
    throw new Error('voiceBaseUrl: must be https and hold no password.');
  }
  return { baseUrl };
}

/** Warns the operator, so that they do not learn from a trainee that the secrets are missing. */
export function warnAboutVoiceProvider(stack: Stack): void {
  Annotations.of(stack).addWarningV2(
    'tributary:voice-secrets',
    "Training needs two secrets that are filled by hand, once; the outputs FillVoiceSecret and FillVoiceWebhookSecret say how: VoiceSecretId takes the voice provider's API key, VoiceWebhookSecretId what it signs its webhooks with. Until then sessions and webhooks are answered with 503.",
  );
}
