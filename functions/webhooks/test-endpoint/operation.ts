import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { EndpointTest } from '../../../shared/webhooks/test-endpoint.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID, WEBHOOK_ENDPOINT_ID } from '../../example-ids.ts';
import { EndpointPath } from '../operation-defaults.ts';

export const testEndpointOperation = declareOperation('webhooks/test-endpoint', {
  route: 'POST /api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/test',
  tag: 'Webhooks',
  summary: 'Send a test message to a webhook endpoint',
  description: docText(
    'Sends one signed message of the type `endpoint.test`, also to a disabled or paused endpoint, and waits at most 10',
    'seconds for the response. The status is 200 even if the receiver fails; `delivered` and `problem` say what happened.',
    'The message is not repeated.',
  ),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: EndpointPath, headers: IgnoredIdempotencyKeyHeaders },
  responses: { 200: EndpointTest },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, endpointId: WEBHOOK_ENDPOINT_ID } },
    response: {
      delivered: true,
      messageId: 'msg_0199c2a4-7d1e-7b3c-9a55-3f2e1d0c4b6a',
      status: 204,
      durationMs: 84,
      problem: null,
    },
  }),
  errors: [400, 401, 403, 404],
  grants: ['webhooks:read', 'webhook-secret:read'],
  // The sender waits for a response for at most 10 s. This wait must not raise the alarm for slow invocations, which
  // fires above half of the timeout. Therefore, the timeout must be longer than 20 s.
  limits: { timeoutSeconds: 25, memoryMb: 512, perMinutePerUser: 20 },
});
