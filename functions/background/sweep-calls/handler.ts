import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import { invokeProcessCall } from '../../../shared/training/aws/invoke-process-call.ts';
import { createS3TranscriptWriter } from '../../../shared/training/aws/s3-transcript-store.ts';
import { createVoiceProvider } from '../../../shared/training/elevenlabs/voice-provider.ts';
import { type CallSweepPorts, sweepCalls } from '../../../shared/training/sweep-calls.ts';

/** Fails at the end when a call could not be processed, so that the function's alarm fires. A later run retries. */
export const createHandler = (ports: CallSweepPorts) => async (): Promise<void> => {
  const counts = await sweepCalls(ports);
  for (const [outcome, count] of counts) ports.log.recordMetric(`Calls_${outcome}`, count);
  if (counts.has('error'))
    throw new Error(`Number of calls that could not be processed: ${counts.get('error')}. A later run retries them.`);
};

export const handler = createHandler({
  calls: createDynamoCallRepository(),
  transcripts: createS3TranscriptWriter(),
  voice: createVoiceProvider(createExtensionSecretStore()),
  invokeProcessCall,
  clock: systemClock,
  log: createJsonLogger({ function: 'background/sweep-calls' }),
});
