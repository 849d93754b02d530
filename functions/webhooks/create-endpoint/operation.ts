import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { OrganizationPath } from '../../../shared/organizations/paths.ts';
import { NewWebhookEndpoint, WebhookEndpointWithSecret } from '../../../shared/webhooks/endpoint-schemas.ts';
import { ENDPOINTS_MAX } from '../../../shared/webhooks/webhook-endpoint.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID } from '../../example-ids.ts';
import { EXAMPLE_ENDPOINT, EXAMPLE_SECRET } from '../operation-defaults.ts';

export const createEndpointOperation = declareOperation('webhooks/create-endpoint', {
  route: 'POST /api/v2/organizations/{orgId}/webhook-endpoints',
  tag: 'Webhooks',
  summary: 'Create a webhook endpoint',
  description: docText(
    'Registers a URL that receives messages of the service, signed as Standard Webhooks specifies. The response has',
    'the signing secret. The URL must use https and the port 443 or 8443, and its host must be public. An organization',
    `can have at most ${ENDPOINTS_MAX} endpoints.`,
  ),
  auth: { role: 'admin' },
  body: 'json',
  request: { path: OrganizationPath, headers: IgnoredIdempotencyKeyHeaders, body: NewWebhookEndpoint },
  responses: { 201: WebhookEndpointWithSecret },
  examples: docsOnly({
    request: {
      path: { orgId: ORGANIZATION_ID },
      body: {
        url: 'https://hooks.northlight.example/tributary',
        eventTypes: ['lead.created', 'lead.verified'],
        description: 'CRM',
      },
    },
    response: { ...EXAMPLE_ENDPOINT, id: '0199c2a4-7d1e-7b3c-9a55-3f2e1d0c4b6a', secret: EXAMPLE_SECRET },
  }),
  errors: [400, 401, 403],
  grants: ['webhooks:read', 'webhooks:write', 'webhook-secret:read'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
