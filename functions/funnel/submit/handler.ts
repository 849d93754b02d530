import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoLeadRepository } from '../../../shared/leads/aws/dynamo-lead-repository.ts';
import { toLeadHandleResponse } from '../../../shared/leads/lead-error.ts';
import { parseSubmission } from '../../../shared/leads/parse-submission.ts';
import { type SubmitLeadPorts, submitLead } from '../../../shared/leads/submit-lead.ts';
import { createInMemorySubmitRateLimiter } from '../../../shared/leads/submit-rate-limiter.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { config, optionalConfig, rateLimitsLifted } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { onceResolved } from '../../../shared/platform/once.ts';
import { submit } from './operation.ts';

const TOKEN_DAYS = 30;

export const createHandler = (ports: SubmitLeadPorts) =>
  publicEndpoint(submit, async ({ path, body, rawBody, headers, log, warnings }) => {
    const submission = parseSubmission(body, rawBody, log);
    const handle = await submitLead(ports, { funnelId: path.id, rawBody, headers, log, warnings }, submission);
    return { data: toLeadHandleResponse(handle) };
  });

/** Most funnels take no files: the S3 client, half of a cold start, is loaded for those that do. */
const files = onceResolved(async () =>
  (await import('../../../shared/uploads/aws/lead-files.ts')).leadFiles(systemClock),
);

export const handler = createHandler({
  funnels: createDynamoFunnelRepository(),
  leads: createDynamoLeadRepository(),
  fileAttacher: { attach: async (file) => (await files()).attach(file) },
  secrets: extensionSecrets(),
  secretId: () => config('leadSecretId'),
  rateLimiter: createInMemorySubmitRateLimiter(systemClock, rateLimitsLifted() ? Infinity : undefined),
  clock: systemClock,
  ids: systemIds,
  tokenDays: Number(optionalConfig('leadTokenDays') ?? TOKEN_DAYS),
});
