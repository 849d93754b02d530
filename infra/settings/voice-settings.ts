import { Annotations, type Stack } from 'aws-cdk-lib';
import { parseSecureBaseUrl } from '../../shared/platform/secure-base-url.ts';
import type { Settings } from './settings.ts';

/** The provider of the simulated customers' voices. */
export type VoiceSettings = {
  /** URL of ElevenLabs in another region or of a compatible API. If absent, ElevenLabs' default URL is used. */
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
  // Reject http even for localhost, because a Lambda function has no service on its host.
  if (typeof baseUrl !== 'string' || parseSecureBaseUrl(baseUrl)?.protocol !== 'https:') {
    throw new Error('voiceBaseUrl: must be an https URL without credentials.');
  }
  return { baseUrl };
}

/**
 * Warns the operator that training needs two secrets. Warns at every synthesis, because synthesis cannot know whether
 * the secrets have values.
 */
export function warnAboutVoiceProvider(stack: Stack): void {
  Annotations.of(stack).addWarningV2(
    'tributary:voice-secrets',
    'Training requires two secrets. Fill each secret once, with the command in an output: FillVoiceSecret for the ' +
      'API key of the voice provider (VoiceSecretId), FillVoiceWebhookSecret for the key that signs its webhooks ' +
      '(VoiceWebhookSecretId). Until then, requests to open a training session and webhooks return 503.',
  );
}
