import { signedEndpoint } from '../../../shared/http/signed-endpoint.ts';
import type { Proof } from '../../../shared/http/stack/signed-stages.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { config } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import { invokeProcessCall } from '../../../shared/training/aws/invoke-process-call.ts';
import { createS3TranscriptWriter } from '../../../shared/training/aws/s3-transcript-store.ts';
import { createWebhookVerifier } from '../../../shared/training/elevenlabs/webhook-verifier.ts';
import { handleVoiceEvent, type VoiceEventPorts } from '../../../shared/training/handle-voice-event.ts';
import type { InvokeProcessCall } from '../../../shared/training/ports.ts';
import { voiceWebhook } from './operation.ts';

export const createHandler = ({ proof, ...ports }: VoiceEventPorts & { proof: Proof }) =>
  signedEndpoint(voiceWebhook, proof, async ({ body, log, requestId }) => {
    const startAnalysis: InvokeProcessCall = (ids) => ports.invokeProcessCall(ids, requestId);
    await handleVoiceEvent({ ...ports, invokeProcessCall: startAnalysis }, body, log);
    return { received: true };
  });

export const handler = createHandler({
  proof: createWebhookVerifier({
    secrets: extensionSecrets(),
    secretId: () => config('voiceWebhookSecretId'),
    clock: systemClock,
  }),
  calls: createDynamoCallRepository(),
  transcripts: createS3TranscriptWriter(),
  invokeProcessCall,
  clock: systemClock,
});
