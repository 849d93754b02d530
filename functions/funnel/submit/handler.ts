import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoLeadRepository } from '../../../shared/leads/aws/dynamo-lead-repository.ts';
import { toLeadHandleResponse } from '../../../shared/leads/lead-response.ts';
import { parseSubmit } from '../../../shared/leads/parse-submit.ts';
import { type SubmitLeadPorts, submitLead } from '../../../shared/leads/submit-lead.ts';
import { createInMemorySubmitRateLimiter } from '../../../shared/leads/submit-rate-limiter.ts';
import { areRateLimitsDisabled } from '../../../shared/limits/rate-limits-disabled.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { onceAsync } from '../../../shared/platform/once.ts';
import { readSetting, requireSetting } from '../../../shared/platform/settings.ts';
import { submitOperation } from './operation.ts';

const TOKEN_DAYS = 30;

export const createHandler = (ports: SubmitLeadPorts) =>
  publicEndpoint(submitOperation, async ({ path, body, rawBody, headers, log, warnings }) => {
    const submission = parseSubmit(body, rawBody, log);
    const handle = await submitLead(ports, { funnelId: path.id, rawBody, headers, log, warnings }, submission);
    return { data: toLeadHandleResponse(handle) };
  });

/** Loaded on demand, because most funnels accept no files and the S3 client takes half of a cold start. */
const fileAttacher = onceAsync(async () =>
  (await import('../../wiring/file-attacher.ts')).createAwsFileAttacher(systemClock),
);

export const handler = createHandler({
  funnels: createDynamoFunnelRepository(),
  leads: createDynamoLeadRepository(),
  fileAttacher: { attach: async (file) => (await fileAttacher()).attach(file) },
  secrets: createExtensionSecretStore(),
  secretId: () => requireSetting('leadSecretId'),
  rateLimiter: createInMemorySubmitRateLimiter(systemClock, areRateLimitsDisabled() ? Infinity : undefined),
  clock: systemClock,
  ids: systemIdGenerator,
  tokenDays: Number(readSetting('leadTokenDays') ?? TOKEN_DAYS),
});
