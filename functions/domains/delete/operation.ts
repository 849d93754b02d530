import * as z from 'zod/mini';
import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { uuid } from '../../../shared/http/schemas.ts';
import { declareOperation } from '../../declare-operation.ts';
import { DOMAIN_ID, ORGANIZATION_ID } from '../../example-ids.ts';

export const deleteDomainOperation = declareOperation('domains/delete', {
  route: 'DELETE /api/v2/organizations/{orgId}/domains/{assetId}',
  tag: 'Domains',
  summary: 'Delete a domain',
  description: docText(
    'The domain is deleted when the response is sent: reads no longer return it. In the background, the',
    'service then removes the bindings of the domain to pages, the CDN tenant and the certificate, and finally',
    'releases the hostname. Failed steps are retried. The removal usually takes minutes. Another organization can use the',
    'hostname only when the removal is complete. The response is 404 for a domain that does not exist, belongs',
    'to another organization or is already being removed. A request that is repeated because its response was',
    'lost therefore also gets 404.',
  ),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: z.object({ orgId: uuid, assetId: uuid }), headers: IgnoredIdempotencyKeyHeaders },
  responses: { 200: z.object({ success: z.boolean() }) },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, assetId: DOMAIN_ID } },
    response: { success: true },
  }),
  errors: [400, 401, 403, 404],
  grants: ['domains:remove', 'removal:start'],
  limits: { timeoutSeconds: 15, memoryMb: 512, perMinutePerUser: 60 },
});
