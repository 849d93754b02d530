import type { SignatureVerifier } from '../../../shared/http/middleware/webhook-signature.ts';
import { webhookEndpoint } from '../../../shared/http/webhook-endpoint.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import { invokeProcessCall } from '../../../shared/training/aws/invoke-process-call.ts';
import { createS3TranscriptWriter } from '../../../shared/training/aws/s3-transcript-store.ts';
import { createWebhookVerifier } from '../../../shared/training/elevenlabs/webhook-verifier.ts';
import { handleVoiceEvent, type VoiceEventPorts } from '../../../shared/training/handle-voice-event.ts';
import type { InvokeProcessCall } from '../../../shared/training/ports.ts';
import { voiceWebhookOperation } from './operation.ts';

export const createHandler = ({ proof: webhookVerifier, ...ports }: VoiceEventPorts & { proof: SignatureVerifier }) =>
  webhookEndpoint(voiceWebhookOperation, webhookVerifier, async ({ body, log, requestId }) => {
    const startAnalysis: InvokeProcessCall = (ids) => ports.invokeProcessCall(ids, requestId);
    await handleVoiceEvent({ ...ports, invokeProcessCall: startAnalysis }, body, log);
    return { received: true };
  });

export const handler = createHandler({
  proof: createWebhookVerifier({
    secrets: createExtensionSecretStore(),
    secretId: () => requireSetting('voiceWebhookSecretId'),
    clock: systemClock,
  }),
  calls: createDynamoCallRepository(),
  transcripts: createS3TranscriptWriter(),
  invokeProcessCall,
  clock: systemClock,
});
