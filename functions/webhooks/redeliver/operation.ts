import * as z from 'zod/mini';
import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { isMessageId } from '../../../shared/webhooks/message-id.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID, WEBHOOK_ENDPOINT_ID, WEBHOOK_MESSAGE_ID } from '../../example-ids.ts';
import { EndpointPath } from '../operation-defaults.ts';

const messageId = z.string().check(z.refine(isMessageId, 'must be the webhook-id of a message'));

export const redeliverOperation = declareOperation('webhooks/redeliver', {
  route: 'POST /api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/deliveries/{messageId}/redeliver',
  tag: 'Webhooks',
  summary: 'Send a webhook message again',
  description: docText(
    'Sends a new message of the same type with the current state, for example of the lead. If the lead was erased, the',
    'message is `lead.erased`. The message is sent within seconds, after other messages about the same subject (lead,',
    'call or domain), with retries as for other messages. If the same message was requested before and is not sent yet,',
    'it is sent once.',
  ),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: z.extend(EndpointPath, { messageId }), headers: IgnoredIdempotencyKeyHeaders },
  responses: { 200: z.object({ success: z.boolean() }) },
  examples: docsOnly({
    request: {
      path: { orgId: ORGANIZATION_ID, endpointId: WEBHOOK_ENDPOINT_ID, messageId: WEBHOOK_MESSAGE_ID },
    },
    response: { success: true },
  }),
  errors: [400, 401, 403, 404],
  grants: ['webhooks:read', 'deliveries:redeliver'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
