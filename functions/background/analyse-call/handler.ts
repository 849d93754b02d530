import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { createConfiguredModel } from '../../../shared/ai/configured-model.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type LoggerForRequest } from '../../../shared/platform/logger.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import { createS3RecordingStore } from '../../../shared/training/aws/s3-recording-store.ts';
import {
  createS3TranscriptReader,
  createS3TranscriptWriter,
} from '../../../shared/training/aws/s3-transcript-store.ts';
import { createVoiceProvider } from '../../../shared/training/elevenlabs/voice-provider.ts';
import { type ProcessCallPorts, processCall } from '../../../shared/training/process-call.ts';
import { createAwsRateLimiter } from '../../wiring/rate-limiter.ts';

const ProcessCallEvent = z.object({ orgId: z.guid(), callId: z.guid(), requestId: z.optional(z.string()) });

/** The run fails if the call cannot be read, scored or stored. Lambda then retries soon, and the sweeper later. */
export const createHandler =
  ({ createLog, ...ports }: Omit<ProcessCallPorts, 'log'> & { createLog: LoggerForRequest }) =>
  async (event: unknown, context: Pick<Context, 'awsRequestId'>): Promise<void> => {
    const { requestId = context.awsRequestId, ...ids } = ProcessCallEvent.parse(event);
    const log = createLog(requestId);
    const outcome = await processCall({ ...ports, log }, ids);
    log.recordMetric(`Analyses_${outcome}`);
  };

const secrets = createExtensionSecretStore();
const judgePorts = {
  model: createConfiguredModel(secrets),
  limiter: createAwsRateLimiter(),
  organizations: createDynamoOrganizationRepository(),
};

export const handler = createHandler({
  calls: createDynamoCallRepository(),
  transcripts: { ...createS3TranscriptReader(), ...createS3TranscriptWriter() },
  recordings: createS3RecordingStore(),
  voice: createVoiceProvider(secrets),
  judge: async (input) => {
    // Imported on demand, because an invocation that only fetches a recording does not need the judge.
    const { createLlmJudge } = await import('../../../shared/training/analysis/llm-judge.ts');
    return createLlmJudge(judgePorts)(input);
  },
  clock: systemClock,
  createLog: (requestId) => createJsonLogger({ function: 'background/analyse-call', requestId }),
});
