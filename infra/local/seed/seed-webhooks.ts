import { createDynamoDeliveryHistory } from '../../../shared/deliveries/aws/dynamo-delivery-history.ts';
import { endpointsKey } from '../../../shared/webhooks/aws/endpoint-item.ts';
import type { WebhookEndpoint } from '../../../shared/webhooks/webhook-endpoint.ts';
import { DEMO_IDS } from './demo-ids.ts';
import { putRecords } from './put-records.ts';

/**
 * Writes two webhook endpoints, and a failed attempt to send a message to one of them. The hostname of both endpoints
 * does not exist (RFC 2606), so no server receives messages.
 */
export async function seedWebhooks(nowMs: number): Promise<void> {
  const [crm, archive] = DEMO_IDS.webhookEndpoints;
  const endpoints = [
    endpointOf(crm, nowMs, { description: 'CRM', isEnabled: true }),
    endpointOf(archive, nowMs, { description: 'Archive', isEnabled: false }),
  ];
  await putRecords('webhooksTable', [
    {
      ...endpointsKey(DEMO_IDS.organizationA),
      endpoints: Object.fromEntries(endpoints.map((endpoint) => [endpoint.id, endpoint])),
    },
  ]);
  const firstAttemptAt = new Date(nowMs).toISOString();
  await createDynamoDeliveryHistory().record(
    {
      orgId: DEMO_IDS.organizationA,
      endpointId: crm,
      messageId: DEMO_IDS.webhookMessage,
      type: 'lead.created',
      seq: 1,
      status: 'failed',
      firstAttemptAt,
      subject: { kind: 'lead', funnelId: DEMO_IDS.funnel, leadId: DEMO_IDS.lead },
    },
    { number: 1, startedAt: firstAttemptAt, durationMs: 12, status: null, problem: 'dns' },
  );
}

function endpointOf(
  id: string,
  nowMs: number,
  properties: Pick<WebhookEndpoint, 'description' | 'isEnabled'>,
): WebhookEndpoint {
  const createdAt = new Date(nowMs).toISOString();
  return {
    id,
    url: 'https://hooks.northlight.example/tributary',
    eventTypes: ['lead.created', 'lead.verified'],
    ...properties,
    pausedAt: null,
    failingSince: null,
    secretGeneration: id,
    previousSecretGeneration: null,
    secretRotatedAt: null,
    createdAt,
    updatedAt: createdAt,
  };
}
