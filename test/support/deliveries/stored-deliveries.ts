import { randomUUID } from 'node:crypto';
import { createDynamoDeliveryHistory } from '../../../shared/deliveries/aws/dynamo-delivery-history.ts';
import { createDynamoEndpointStateRepository } from '../../../shared/deliveries/aws/dynamo-endpoint-state-repository.ts';
import { createDynamoLaneRepository } from '../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import type { Delivery } from '../../../shared/deliveries/delivery.ts';
import type { WebhookEndpoint } from '../../../shared/webhooks/webhook-endpoint.ts';
import { endpointWorld, isoAt, NOON } from '../webhooks/endpoints.ts';

/** Stores the delivery of a message that was sent to an endpoint at noon and failed. */
export async function storedDelivery(
  { orgId, endpointId }: { orgId: string; endpointId: string },
  overrides: Partial<Omit<Delivery, 'attempts'>> = {},
): Promise<Delivery> {
  const delivery = {
    ...({
      orgId,
      endpointId,
      messageId: `msg_${randomUUID()}`,
      type: 'lead.created',
      seq: 1,
      status: 'failed',
    } as const),
    subject: { kind: 'lead', funnelId: randomUUID(), leadId: randomUUID() } as const,
    firstAttemptAt: isoAt(NOON),
    ...overrides,
  };
  const attempt = { number: 1, startedAt: delivery.firstAttemptAt, durationMs: 5, status: 500, problem: null };
  await createDynamoDeliveryHistory().record(delivery, attempt);
  return { ...delivery, attempts: [attempt] };
}

/** Creates `endpointWorld` and stores a failed delivery to each endpoint. */
export async function deliveryWorld(overrides: Partial<WebhookEndpoint> = {}) {
  const world = await endpointWorld(overrides);
  const { orgId, endpoint, otherOrgId, foreign } = world;
  const stores = {
    history: createDynamoDeliveryHistory(),
    lanes: createDynamoLaneRepository(),
    endpointStates: createDynamoEndpointStateRepository(),
  };
  return {
    ...world,
    ports: { ...world.ports, ...stores },
    delivery: await storedDelivery({ orgId, endpointId: endpoint.id }),
    foreignDelivery: await storedDelivery({ orgId: otherOrgId, endpointId: foreign.id }),
  };
}
