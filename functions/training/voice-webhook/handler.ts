import { signedEndpoint } from '../../../shared/http/signed-endpoint.ts';
import type { Proof } from '../../../shared/http/stack/signed-stages.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { config } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import type { StartAnalysis } from '../../../shared/training/lifecycle/calls.ts';
import { dynamoCalls } from '../../../shared/training/lifecycle/dynamo-calls.ts';
import { s3TranscriptWriter } from '../../../shared/training/lifecycle/s3-transcript-objects.ts';
import { startAnalysis } from '../../../shared/training/lifecycle/start-analysis.ts';
import { type ReceivePorts, receiveEvent } from '../../../shared/training/voice/receive-event.ts';
import { voiceSignature } from '../../../shared/training/voice/signature.ts';
import { voiceWebhook } from './operation.ts';

export const createHandler = ({ proof, ...ports }: ReceivePorts & { proof: Proof }) =>
  signedEndpoint(voiceWebhook, proof, async ({ body, log, requestId }) => {
    const startAnalysis: StartAnalysis = (ids) => ports.startAnalysis(ids, requestId);
    await receiveEvent({ ...ports, startAnalysis }, body, log);
    return { received: true };
  });

export const handler = createHandler({
  proof: voiceSignature({
    secrets: extensionSecrets(),
    secretId: () => config('voiceWebhookSecretId'),
    clock: systemClock,
  }),
  calls: dynamoCalls(),
  transcripts: s3TranscriptWriter(),
  startAnalysis,
  clock: systemClock,
});
