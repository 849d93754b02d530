import { endpointsKey } from '../../../shared/webhooks/aws/endpoint-item.ts';
import type { WebhookEndpoint } from '../../../shared/webhooks/webhook-endpoint.ts';
import { DEMO_IDS } from './demo-ids.ts';
import { putRecords } from './put-records.ts';

/** Writes two webhook endpoints. Their hostname does not exist (RFC 2606), so no server receives test messages. */
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
    secretGeneration: id,
    previousSecretGeneration: null,
    secretRotatedAt: null,
    createdAt,
    updatedAt: createdAt,
  };
}
