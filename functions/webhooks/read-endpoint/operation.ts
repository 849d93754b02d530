import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { WebhookEndpointResponse } from '../../../shared/webhooks/endpoint-schemas.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID, WEBHOOK_ENDPOINT_ID } from '../../example-ids.ts';
import { EndpointPath, EXAMPLE_ENDPOINT } from '../operation-defaults.ts';

export const readEndpointOperation = declareOperation('webhooks/read-endpoint', {
  route: 'GET /api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}',
  tag: 'Webhooks',
  summary: 'Read a webhook endpoint',
  description: docText('The response does not have the signing secret. To replace a lost secret, rotate it.'),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: EndpointPath },
  responses: { 200: WebhookEndpointResponse },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, endpointId: WEBHOOK_ENDPOINT_ID } },
    response: EXAMPLE_ENDPOINT,
  }),
  errors: [400, 401, 403, 404],
  grants: ['webhooks:read'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 240 },
});
