import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { WebhookEndpointWithSecret } from '../../../shared/webhooks/endpoint-schemas.ts';
import { PREVIOUS_SECRET_HOURS } from '../../../shared/webhooks/endpoint-secrets.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID, WEBHOOK_ENDPOINT_ID } from '../../example-ids.ts';
import { EndpointPath, EXAMPLE_ENDPOINT, EXAMPLE_SECRET } from '../operation-defaults.ts';

export const rotateSecretOperation = declareOperation('webhooks/rotate-secret', {
  route: 'POST /api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/rotate-secret',
  tag: 'Webhooks',
  summary: 'Rotate the signing secret of a webhook endpoint',
  description: docText(
    `Creates a new signing secret. For ${PREVIOUS_SECRET_HOURS} hours, messages are signed with the new and the`,
    'previous secret, so that the receiver can change its secret without losing messages. If you rotate again within',
    `${PREVIOUS_SECRET_HOURS} hours, the oldest of the three secrets stops working immediately. A request that is`,
    'repeated within a minute returns the same new secret.',
  ),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: EndpointPath, headers: IgnoredIdempotencyKeyHeaders },
  responses: { 200: WebhookEndpointWithSecret },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, endpointId: WEBHOOK_ENDPOINT_ID } },
    response: {
      ...EXAMPLE_ENDPOINT,
      updatedAt: '2026-03-03T10:00:00.000Z',
      secretRotatedAt: '2026-03-03T10:00:00.000Z',
      secret: EXAMPLE_SECRET,
    },
  }),
  errors: [400, 401, 403, 404],
  grants: ['webhooks:read', 'webhooks:write', 'webhook-secret:read'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
