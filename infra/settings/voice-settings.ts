import { Annotations, type Stack } from 'aws-cdk-lib';
import { parseSecureBaseUrl } from '../../shared/platform/secure-base-url.ts';
import type { Settings } from './settings.ts';

/** Who lends simulated customers their voices in a deployment. */
export type VoiceSettings = {
  /** Of ElevenLabs in another region, or of what speaks its API; absent: ElevenLabs itself. */
  baseUrl?: string;
};

/**
 * Reads `voiceBaseUrl` from CDK context.
 *
 * @throws Error, a sentence for the operator
 */
export function parseVoiceSettings(context: Settings): VoiceSettings {
  const baseUrl = context('voiceBaseUrl');
  if (baseUrl === undefined) return {};
  // Also not http on this machine: a function has no such neighbour.
  if (typeof baseUrl !== 'string' || parseSecureBaseUrl(baseUrl)?.protocol !== 'https:') {
    throw new Error('voiceBaseUrl: must be https and hold no password.');
  }
  return { baseUrl };
}

/** Nobody shall learn from a trainee that the provider does not know us. */
export function warnAboutVoiceProvider(stack: Stack): void {
  Annotations.of(stack).addWarningV2(
    'tributary:voice-secrets',
    "Training needs two secrets that are filled by hand, once; the outputs FillVoiceSecret and FillVoiceWebhookSecret say how: VoiceSecretId takes the voice provider's API key, VoiceWebhookSecretId what it signs its webhooks with. Until then sessions and webhooks are answered with 503.",
  );
}
