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
import { dynamoCalls } from '../../../shared/training/lifecycle/dynamo-calls.ts';
import { type AnalysisPorts, finishCall } from '../../../shared/training/lifecycle/finish-call.ts';
import { s3RecordingObjects } from '../../../shared/training/lifecycle/s3-recording-objects.ts';
import { s3TranscriptReader, s3TranscriptWriter } from '../../../shared/training/lifecycle/s3-transcript-objects.ts';
import { configuredVoice } from '../../../shared/training/voice/configured-voice.ts';

const Asked = z.object({ orgId: z.guid(), callId: z.guid(), requestId: z.optional(z.string()) });

/** Fails when an analysis does not come to its end; Lambda tries again soon, and the sweeper later. */
export const createHandler =
  ({ logOf, ...ports }: Omit<AnalysisPorts, 'log'> & { logOf: LogOf }) =>
  async (event: unknown, context: Pick<Context, 'awsRequestId'>): Promise<void> => {
    const { requestId = context.awsRequestId, ...ids } = Asked.parse(event);
    const log = logOf(requestId);
    const finished = await finishCall({ ...ports, log }, ids);
    log.count(`Analyses_${finished}`);
  };

const secrets = extensionSecrets();
const limiter = rateLimitsLifted() ? unlimited : dynamoLimiter();

export const handler = createHandler({
  calls: dynamoCalls(),
  transcripts: { ...s3TranscriptReader(), ...s3TranscriptWriter() },
  recordings: s3RecordingObjects(),
  voice: configuredVoice(secrets),
  judge: configuredJudge({ secrets, limiter, organizations: createDynamoOrganizationRepository() }),
  clock: systemClock,
  logOf: (requestId) => jsonLog({ function: 'background/analyse-call', requestId }),
});
