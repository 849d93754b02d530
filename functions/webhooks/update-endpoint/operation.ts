import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { WebhookEndpointChanges, WebhookEndpointResponse } from '../../../shared/webhooks/endpoint-schemas.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID, WEBHOOK_ENDPOINT_ID } from '../../example-ids.ts';
import { EndpointPath, EXAMPLE_ENDPOINT } from '../operation-defaults.ts';

export const updateEndpointOperation = declareOperation('webhooks/update-endpoint', {
  route: 'PATCH /api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}',
  tag: 'Webhooks',
  summary: 'Change a webhook endpoint',
  description: docText(
    'Replaces the given properties, and keeps all others and the signing secret. `description: null` removes the',
    'description. `enabled: true` also ends a pause: the endpoint then gets the current state of everything that changed',
    'during the pause.',
  ),
  auth: { role: 'admin' },
  body: 'json',
  request: { path: EndpointPath, headers: IgnoredIdempotencyKeyHeaders, body: WebhookEndpointChanges },
  responses: { 200: WebhookEndpointResponse },
  examples: docsOnly({
    request: {
      path: { orgId: ORGANIZATION_ID, endpointId: WEBHOOK_ENDPOINT_ID },
      body: { description: 'CRM of the sales team' },
    },
    response: {
      ...EXAMPLE_ENDPOINT,
      description: 'CRM of the sales team',
      updatedAt: '2026-03-03T10:00:00.000Z',
    },
  }),
  errors: [400, 401, 403, 404],
  grants: ['webhooks:write', 'deliveries:resume'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
