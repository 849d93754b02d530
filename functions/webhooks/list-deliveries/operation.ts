import { HISTORY_DAYS } from '../../../shared/deliveries/delivery.ts';
import { DELIVERIES_PER_PAGE, DeliveriesQuery, WebhookDeliveries } from '../../../shared/deliveries/list-deliveries.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { FUNNEL_ID, LEAD_ID, ORGANIZATION_ID, WEBHOOK_ENDPOINT_ID, WEBHOOK_MESSAGE_ID } from '../../example-ids.ts';
import { EndpointPath } from '../operation-defaults.ts';

export const listDeliveriesOperation = declareOperation('webhooks/list-deliveries', {
  route: 'GET /api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/deliveries',
  tag: 'Webhooks',
  summary: 'List the messages to a webhook endpoint',
  description: docText(
    `The messages whose first attempt was in the last ${HISTORY_DAYS} days, newest first, with their attempts and without`,
    `their bodies. A page has at most ${DELIVERIES_PER_PAGE} messages. With a status, a page can have fewer messages, or`,
    'none, although `nextCursor` is not null. Test messages are not listed.',
  ),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: EndpointPath, query: DeliveriesQuery },
  responses: { 200: WebhookDeliveries },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, endpointId: WEBHOOK_ENDPOINT_ID }, query: { status: 'failed' } },
    response: {
      deliveries: [
        {
          messageId: WEBHOOK_MESSAGE_ID,
          type: 'lead.created',
          subject: { kind: 'lead', funnelId: FUNNEL_ID, leadId: LEAD_ID },
          seq: 1,
          status: 'failed',
          firstAttemptAt: '2026-03-02T09:30:00.000Z',
          attempts: [
            { number: 1, startedAt: '2026-03-02T09:30:00.000Z', durationMs: 84, status: 500, problem: null },
            { number: 2, startedAt: '2026-03-02T09:30:05.000Z', durationMs: 10_000, status: null, problem: 'timeout' },
          ],
        },
      ],
      nextCursor: null,
    },
  }),
  errors: [400, 401, 403, 404],
  grants: ['webhooks:read', 'deliveries:list'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 240 },
});
