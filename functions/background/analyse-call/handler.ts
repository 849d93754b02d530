import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { rateLimitsLifted } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { jsonLog, type LogOf } from '../../../shared/platform/log.ts';
import { configuredJudge } from '../../../shared/training/analysis/configured-judge.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import { createS3RecordingStore } from '../../../shared/training/aws/s3-recording-store.ts';
import {
  createS3TranscriptReader,
  createS3TranscriptWriter,
} from '../../../shared/training/aws/s3-transcript-store.ts';
import { createVoiceProvider } from '../../../shared/training/elevenlabs/create-voice-provider.ts';
import { type ProcessCallPorts, processCall } from '../../../shared/training/process-call.ts';

const Asked = z.object({ orgId: z.guid(), callId: z.guid(), requestId: z.optional(z.string()) });

/** Fails when an analysis does not come to its end; Lambda tries again soon, and the sweeper later. */
export const createHandler =
  ({ logOf, ...ports }: Omit<ProcessCallPorts, 'log'> & { logOf: LogOf }) =>
  async (event: unknown, context: Pick<Context, 'awsRequestId'>): Promise<void> => {
    const { requestId = context.awsRequestId, ...ids } = Asked.parse(event);
    const log = logOf(requestId);
    const finished = await processCall({ ...ports, log }, ids);
    log.count(`Analyses_${finished}`);
  };

const secrets = extensionSecrets();
const limiter = rateLimitsLifted() ? unlimited : dynamoLimiter();

export const handler = createHandler({
  calls: createDynamoCallRepository(),
  transcripts: { ...createS3TranscriptReader(), ...createS3TranscriptWriter() },
  recordings: createS3RecordingStore(),
  voice: createVoiceProvider(secrets),
  judge: configuredJudge({ secrets, limiter, organizations: createDynamoOrganizationRepository() }),
  clock: systemClock,
  logOf: (requestId) => jsonLog({ function: 'background/analyse-call', requestId }),
});
