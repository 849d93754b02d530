import * as z from 'zod/mini';
import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID, WEBHOOK_ENDPOINT_ID } from '../../example-ids.ts';
import { EndpointPath } from '../operation-defaults.ts';

export const deleteEndpointOperation = declareOperation('webhooks/delete-endpoint', {
  route: 'DELETE /api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  description: docText(
    'The endpoint receives no further messages, and its signing secret cannot be restored. To keep an endpoint without',
    'messages, set `enabled` to false instead.',
  ),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: EndpointPath, headers: IgnoredIdempotencyKeyHeaders },
  responses: { 200: z.object({ success: z.boolean() }) },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, endpointId: WEBHOOK_ENDPOINT_ID } },
    response: { success: true },
  }),
  errors: [400, 401, 403, 404],
  grants: ['webhooks:read', 'webhooks:write'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
