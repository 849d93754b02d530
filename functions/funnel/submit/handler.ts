import { dynamoFunnels } from '../../../shared/directory/dynamo-funnels.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { dynamoLeads } from '../../../shared/leads/dynamo-leads.ts';
import { leadPace } from '../../../shared/leads/lead-pace.ts';
import { handleReply } from '../../../shared/leads/lead-problem.ts';
import { readSubmission } from '../../../shared/leads/read-submission.ts';
import { type SubmitPorts, submitLead } from '../../../shared/leads/submit-lead.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { config, optionalConfig, rateLimitsLifted } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { onceResolved } from '../../../shared/platform/once.ts';
import { submit } from './operation.ts';

const TOKEN_DAYS = 30;

export const createHandler = (ports: SubmitPorts) =>
  publicEndpoint(submit, async ({ path, body, rawBody, headers, log, warnings }) => {
    const submission = readSubmission(body, rawBody, log);
    const handle = await submitLead(ports, { funnelId: path.id, rawBody, headers, log, warnings }, submission);
    return { data: handleReply(handle) };
  });

/** Most funnels take no files: the S3 client, half of a cold start, is loaded for those that do. */
const files = onceResolved(async () => (await import('../../../shared/uploads/lead-files.ts')).leadFiles(systemClock));

export const handler = createHandler({
  funnels: dynamoFunnels(),
  leads: dynamoLeads(),
  files: { keep: async (file) => (await files()).keep(file) },
  secrets: extensionSecrets(),
  secretId: () => config('leadSecretId'),
  pace: leadPace(systemClock, rateLimitsLifted() ? Infinity : undefined),
  clock: systemClock,
  ids: systemIds,
  tokenDays: Number(optionalConfig('leadTokenDays') ?? TOKEN_DAYS),
});
