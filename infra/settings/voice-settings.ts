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
    'Training requires two secrets, which an operator fills once with the commands in the outputs FillVoiceSecret and ' +
      "FillVoiceWebhookSecret: VoiceSecretId takes the voice provider's API key, VoiceWebhookSecretId the key that signs its " +
      'webhooks. Until then, requests for sessions and webhooks return 503.',
  );
}
