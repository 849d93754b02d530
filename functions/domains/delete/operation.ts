import * as z from 'zod/mini';
import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { uuid } from '../../../shared/http/schemas.ts';
import { operation } from '../../define-operation.ts';
import { DOMAIN_ID, ORGANIZATION_ID } from '../../example-ids.ts';

export const deleteDomainOperation = operation('domains/delete', {
  route: 'DELETE /api/v2/organizations/{orgId}/domains/{assetId}',
  tag: 'Domains',
  summary: 'Delete a domain',
  description: docText(
    'From the answer on nothing knows the domain any more. Its bindings to pages, what serves it at the edge with its certificate, and last its hostname go in the background, whatever happens in between: the hostname is free for another organization only after that, mostly minutes later. A domain that does not exist, belongs to another organization or is being removed already is 404; so is a request that is sent again after its answer was lost.',
  ),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: z.object({ orgId: uuid, assetId: uuid }), headers: IgnoredIdempotencyKeyHeaders },
  responses: { 200: z.object({ success: z.boolean() }) },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, assetId: DOMAIN_ID } },
    response: { success: true },
  }),
  errors: [400, 401, 403, 404, 429, 500, 503],
  grants: ['domains:remove', 'removal:start'],
  limits: { timeoutSeconds: 15, memoryMb: 512, perMinutePerUser: 60 },
});
