import * as z from 'zod/mini';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { OrganizationPath } from '../../../shared/organizations/paths.ts';
import { WebhookEndpointResponse } from '../../../shared/webhooks/endpoint-schemas.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID } from '../../example-ids.ts';
import { EXAMPLE_ENDPOINT } from '../operation-defaults.ts';

export const listEndpointsOperation = declareOperation('webhooks/list-endpoints', {
  route: 'GET /api/v2/organizations/{orgId}/webhook-endpoints',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  description: docText('All webhook endpoints of the organization, oldest first, without their signing secrets.'),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: OrganizationPath },
  responses: { 200: z.object({ endpoints: z.array(WebhookEndpointResponse) }) },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID } },
    response: { endpoints: [EXAMPLE_ENDPOINT] },
  }),
  errors: [400, 401, 403],
  grants: ['webhooks:read'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 240 },
});
