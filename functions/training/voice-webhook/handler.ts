import type { SignatureVerifier } from '../../../shared/http/middleware/signed-body.ts';
import { signedEndpoint } from '../../../shared/http/signed-endpoint.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import { invokeProcessCall } from '../../../shared/training/aws/invoke-process-call.ts';
import { createS3TranscriptWriter } from '../../../shared/training/aws/s3-transcript-store.ts';
import { parseVoiceEvent } from '../../../shared/training/elevenlabs/events.ts';
import { createVoiceWebhookVerifier } from '../../../shared/training/elevenlabs/voice-webhook-verifier.ts';
import { handleVoiceEvent, type VoiceEventPorts } from '../../../shared/training/handle-voice-event.ts';
import type { ProcessCallInvoker } from '../../../shared/training/ports.ts';
import { voiceWebhookOperation } from './operation.ts';

type VoiceWebhookPorts = VoiceEventPorts & { verifySignature: SignatureVerifier };

export const createHandler = ({ verifySignature, ...ports }: VoiceWebhookPorts) =>
  signedEndpoint(voiceWebhookOperation, verifySignature, async ({ body, log, requestId }) => {
    const invokeWithRequestId: ProcessCallInvoker = (ids) => ports.invokeProcessCall(ids, requestId);
    await handleVoiceEvent({ ...ports, invokeProcessCall: invokeWithRequestId }, parseVoiceEvent(body), log);
    return { received: true };
  });

export const handler = createHandler({
  verifySignature: createVoiceWebhookVerifier({
    secrets: createExtensionSecretStore(),
    secretId: () => requireSetting('voiceWebhookSecretId'),
    clock: systemClock,
  }),
  calls: createDynamoCallRepository(),
  transcripts: createS3TranscriptWriter(),
  invokeProcessCall,
  clock: systemClock,
});
