import { randomUUID } from 'node:crypto';
import { uuidV7 } from '../../../shared/platform/uuid-v7.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createDynamoEndpointRepository } from '../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import type { WebhookEndpoint } from '../../../shared/webhooks/webhook-endpoint.ts';
import { anOrganization } from '../organizations/members.ts';

export const NOON = Date.parse('2026-03-02T12:00:00.000Z');
export const isoAt = (ms: number): string => new Date(ms).toISOString();

export const MASTER_SECRET = 'a master secret of a test';

let created = 0;

/** Endpoints of a test have ids in the order of their creation. */
export const anEndpoint = (overrides: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id: uuidV7(NOON - 3_600_000 + created++),
  url: `https://hooks.shop.example/${randomUUID()}`,
  eventTypes: ['lead.created'],
  description: null,
  isEnabled: true,
  pausedAt: null,
  failingSince: null,
  secretGeneration: randomUUID(),
  previousSecretGeneration: null,
  secretRotatedAt: null,
  createdAt: '2026-03-01T08:00:00.000Z',
  updatedAt: '2026-03-01T08:00:00.000Z',
  ...overrides,
});

export async function storedEndpoint(
  orgId: string,
  overrides: Partial<WebhookEndpoint> = {},
): Promise<WebhookEndpoint> {
  const endpoint = anEndpoint(overrides);
  if ((await createDynamoEndpointRepository().add(orgId, endpoint)) === 'full') {
    throw new Error('The organization of the test already has the maximum number of endpoints.');
  }
  return endpoint;
}

/** An organization with an endpoint, another organization with an endpoint, and the ports of the operations. */
export async function endpointWorld(overrides: Partial<WebhookEndpoint> = {}) {
  const [own, otherOrgId] = [anOrganization(), randomUUID()];
  const [endpoint, foreign] = [await storedEndpoint(own.orgId, overrides), await storedEndpoint(otherOrgId)];
  const reader = createDynamoEndpointReader();
  const failing = { secret: false };
  const clock = { nowMs: NOON, now: () => clock.nowMs };
  const resumed: string[] = [];
  const ports = {
    authorization: own.authorization,
    resume: async (endpointId: string) => void resumed.push(endpointId),
    endpoints: { ...reader, ...createDynamoEndpointRepository() },
    readSecret: async () => {
      if (failing.secret) throw new Error('The extension does not respond.');
      return MASTER_SECRET;
    },
    urlOptions: () => ({ ownHostnames: ['api.tributary.example'], allowedOrigins: [] }),
    clock,
  };
  const stored = () => reader.list(own.orgId);
  const storedForeign = () => reader.list(otherOrgId);
  return { ...own, endpoint, foreign, otherOrgId, resumed, ports, clock, failing, stored, storedForeign };
}
