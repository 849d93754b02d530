import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { HttpError } from '../../../shared/http/errors.ts';
import { createDynamoLeadRepository } from '../../../shared/leads/aws/dynamo-lead-repository.ts';
import { DEFAULT_TOKEN_DAYS } from '../../../shared/leads/lead-handle.ts';
import { toLeadHandleResponse } from '../../../shared/leads/lead-response.ts';
import { parseSubmit } from '../../../shared/leads/parse-submit.ts';
import { type SubmitLeadPorts, type SubmitLeadSettings, submitLead } from '../../../shared/leads/submit-lead.ts';
import { createInMemorySubmitRateLimiter } from '../../../shared/leads/submit-rate-limiter.ts';
import { areRateLimitsDisabled } from '../../../shared/limits/rate-limits-disabled.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { onceAsync } from '../../../shared/platform/once.ts';
import { readSetting, requireSetting } from '../../../shared/platform/settings.ts';
import { isMessageId } from '../../../shared/webhooks/message-id.ts';
import { submitOperation } from './operation.ts';

export const createHandler = (ports: SubmitLeadPorts, settings: SubmitLeadSettings) =>
  publicEndpoint(submitOperation, async ({ path, body, rawBody, headers, log, warnings }) => {
    refuseWebhookMessage(headers['webhook-id']);
    const submit = parseSubmit(body, rawBody, log);
    const request = { funnelId: path.id, rawBody, headers, log, warnings };
    const handle = await submitLead(ports, settings, request, submit);
    return { data: toLeadHandleResponse(handle) };
  });

/**
 * Rejects webhook messages of this service. If the URL of a webhook endpoint were the URL of submit, each message would
 * create a lead, and each lead would cause another message, without end. Messages of other services are accepted.
 *
 * @throws HttpError 400
 */
function refuseWebhookMessage(webhookId = ''): void {
  if (!isMessageId(webhookId)) return;
  throw new HttpError(
    400,
    'header.webhook-id is the id of a webhook message of this service. Change the URL of the webhook endpoint: it must not be the URL of a funnel.',
  );
}

/**
 * The file attacher is loaded on demand, because most funnels accept no files and loading the S3 client prolongs a
 * cold start (ADR 0017).
 */
const fileAttacher = onceAsync(async () =>
  (await import('../../wiring/file-attacher.ts')).createAwsFileAttacher(systemClock),
);

const secrets = createExtensionSecretStore();

export const handler = createHandler(
  {
    funnels: createDynamoFunnelRepository(),
    leads: createDynamoLeadRepository(),
    fileAttacher: { attach: async (file) => (await fileAttacher()).attach(file) },
    readSecret: () => secrets.read(requireSetting('leadSecretId')),
    rateLimiter: createInMemorySubmitRateLimiter(systemClock, areRateLimitsDisabled() ? Infinity : undefined),
    clock: systemClock,
    ids: systemIdGenerator,
  },
  { tokenDays: Number(readSetting('leadTokenDays') ?? DEFAULT_TOKEN_DAYS) },
);
