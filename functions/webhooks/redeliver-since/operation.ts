import { HISTORY_DAYS } from '../../../shared/deliveries/delivery.ts';
import { Redelivery, RedeliveryRequestBody } from '../../../shared/deliveries/redeliver.ts';
import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID, WEBHOOK_ENDPOINT_ID } from '../../example-ids.ts';
import { EndpointPath } from '../operation-defaults.ts';

export const redeliverSinceOperation = declareOperation('webhooks/redeliver-since', {
  route: 'POST /api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/redeliver',
  tag: 'Webhooks',
  summary: 'Send the messages since a time again',
  description: docText(
    `Sends new messages for all failed messages of the last ${HISTORY_DAYS} days whose first attempt was at \`since\` or`,
    'later, with `includeDelivered` also for the delivered ones. Each new message has the current state of its subject.',
    'Messages of the same type about the same lead can be combined. The redelivery runs in the background. While it runs,',
    'a repeated request has no effect, and a request with other parameters responds with status 400.',
  ),
  auth: { role: 'admin' },
  body: 'json',
  request: { path: EndpointPath, headers: IgnoredIdempotencyKeyHeaders, body: RedeliveryRequestBody },
  responses: { 200: Redelivery },
  examples: docsOnly({
    request: {
      path: { orgId: ORGANIZATION_ID, endpointId: WEBHOOK_ENDPOINT_ID },
      body: { since: '2026-03-02T00:00:00.000Z' },
    },
    response: { since: '2026-03-02T00:00:00.000Z', includeDelivered: false, requestedAt: '2026-03-03T10:00:00.000Z' },
  }),
  errors: [400, 401, 403, 404],
  grants: ['webhooks:read', 'deliveries:resume'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
