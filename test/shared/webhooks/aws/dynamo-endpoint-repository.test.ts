import { randomUUID } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { UnavailableError } from '../../../../shared/platform/unavailable.ts';
import { uuidV7 } from '../../../../shared/platform/uuid-v7.ts';
import { createDynamoEndpointReader } from '../../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createDynamoEndpointRepository } from '../../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import { ENDPOINTS_MAX } from '../../../../shared/webhooks/webhook-endpoint.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { anEndpoint, NOON, storedEndpoint } from '../../../support/webhooks/endpoints.ts';

const { callsOf } = useDynamo();
afterEach(() => vi.restoreAllMocks());

const endpoints = createDynamoEndpointRepository();
const reader = createDynamoEndpointReader();
const LATER = '2026-03-02T12:00:00.000Z';

/** Sends every write twice and returns the second response, as the SDK does after the first response was lost. */
function loseResponses(): void {
  const client = dynamoDocumentClient();
  const send = client.send.bind(client);
  const twice = async (command: UpdateCommand) => {
    if (command instanceof UpdateCommand) await send(command).catch(() => undefined);
    return send(command);
  };
  vi.spyOn(client, 'send').mockImplementation(twice as typeof client.send);
}

test('list() returns the endpoints of an organization in the order of their creation', async () => {
  const orgId = randomUUID();
  expect(await reader.list(orgId)).toEqual([]);
  const [second, first] = [anEndpoint({ id: uuidV7(NOON + 1) }), anEndpoint({ id: uuidV7(NOON - 1) })];
  expect(await endpoints.add(orgId, second)).toBe('added');
  expect(await endpoints.add(orgId, first)).toBe('added');
  expect(await reader.list(orgId)).toEqual([first, second]);
  expect(await reader.find({ orgId, endpointId: second.id })).toEqual(second);
  expect(await reader.find({ orgId: randomUUID(), endpointId: second.id })).toBeUndefined();
});

test('of more than ten concurrent additions to an organization without endpoints, exactly ten succeed', async () => {
  const orgId = randomUUID();
  const added = await Promise.all(Array.from({ length: 14 }, () => endpoints.add(orgId, anEndpoint())));
  expect(added.filter((outcome) => outcome === 'added')).toHaveLength(ENDPOINTS_MAX);
  expect(await reader.list(orgId)).toHaveLength(ENDPOINTS_MAX);
});

test('an addition throws after eight attempts if each write finds ten endpoints, but the read after it finds fewer', async () => {
  const orgId = randomUUID();
  const others = await Promise.all(Array.from({ length: ENDPOINTS_MAX }, () => storedEndpoint(orgId)));
  const client = dynamoDocumentClient();
  const send = client.send.bind(client);
  let reads = 0;
  const withRoomWhenRead = async (command: unknown) => {
    if (!(command instanceof GetCommand)) return send(command as never);
    if (reads++ > 50) throw new Error('The addition does not stop.');
    const { Item } = await send(command);
    return { Item: { ...Item, endpoints: Object.fromEntries(Object.entries(Item?.endpoints).slice(1)) } };
  };
  vi.spyOn(client, 'send').mockImplementation(withRoomWhenRead as typeof client.send);
  await expect(endpoints.add(orgId, anEndpoint())).rejects.toMatchObject({
    name: 'UnavailableError',
    retryAfterSeconds: 1,
    message: 'Too many requests are changing the webhook endpoints. Try again in a second.',
  });
  expect(reads).toBe(8);
  vi.restoreAllMocks();
  expect(await reader.list(orgId)).toEqual(others.sort((one, other) => (one.id < other.id ? -1 : 1)));
});

test('an organization with ten endpoints can add an endpoint after it has removed one', async () => {
  const orgId = randomUUID();
  const [first] = await Promise.all(Array.from({ length: ENDPOINTS_MAX }, () => storedEndpoint(orgId)));
  expect(await endpoints.add(orgId, anEndpoint())).toBe('full');
  expect(await endpoints.remove({ orgId, endpointId: first?.id ?? '' })).toBe(true);
  expect(await endpoints.add(orgId, anEndpoint())).toBe('added');
});

test('an update replaces only the given properties, and null removes a description', async () => {
  const orgId = randomUUID();
  const [endpoint, other] = [await storedEndpoint(orgId, { description: 'CRM' }), await storedEndpoint(orgId)];
  const ids = { orgId, endpointId: endpoint.id };
  const changed = { ...endpoint, isEnabled: false, updatedAt: LATER };
  const update = { isEnabled: false, url: undefined, updatedAt: LATER };
  expect(await callsOf(() => endpoints.update(ids, update))).toEqual(['UpdateItem']);
  expect(await reader.find(ids)).toEqual(changed);
  expect(await endpoints.update(ids, { description: null, updatedAt: LATER })).toEqual({
    ...changed,
    description: null,
  });
  expect(await reader.find({ orgId, endpointId: other.id })).toEqual(other);
});

test.each([
  ['without endpoints', async () => randomUUID()],
  [
    'with another endpoint',
    async () => {
      const orgId = randomUUID();
      await storedEndpoint(orgId);
      return orgId;
    },
  ],
])('in an organization %s, changing an unknown endpoint creates no endpoint', async (_, organization) => {
  const orgId = await organization();
  const before = await reader.list(orgId);
  const ids = { orgId, endpointId: randomUUID() };
  expect(await endpoints.update(ids, { isEnabled: false, updatedAt: LATER })).toBeUndefined();
  expect(await endpoints.rotateSecret(ids, { seen: 'first', next: 'second', rotatedAt: LATER })).toBeUndefined();
  expect(await endpoints.remove(ids)).toBe(false);
  expect(await reader.list(orgId)).toEqual(before);
});

test('concurrent rotations of a signing secret return the same new secret generation', async () => {
  const orgId = randomUUID();
  const { id: endpointId, secretGeneration: seen } = await storedEndpoint(orgId);
  const rotate = (next: string) => endpoints.rotateSecret({ orgId, endpointId }, { seen, next, rotatedAt: LATER });
  const rotated = await Promise.all(['a', 'b', 'c'].map(rotate));
  const stored = await reader.find({ orgId, endpointId });
  expect(rotated).toEqual([stored, stored, stored]);
  expect(stored).toMatchObject({ previousSecretGeneration: seen, secretRotatedAt: LATER, updatedAt: LATER });
  expect(['a', 'b', 'c']).toContain(stored?.secretGeneration);
});

test('if the SDK repeats a write after a lost response, the result is the same as for one write', async () => {
  const orgId = randomUUID();
  loseResponses();
  const first = anEndpoint();
  expect(await endpoints.add(orgId, first)).toBe('added');
  const others = Array.from({ length: ENDPOINTS_MAX - 1 }, () => anEndpoint());
  for (const endpoint of others) expect(await endpoints.add(orgId, endpoint)).toBe('added');
  expect(await endpoints.add(orgId, anEndpoint())).toBe('full');
  const ids = { orgId, endpointId: first.id };
  const rotation = { seen: first.secretGeneration, next: 'second', rotatedAt: LATER };
  expect(await endpoints.rotateSecret(ids, rotation)).toMatchObject({ secretGeneration: 'second' });
  expect(await endpoints.update(ids, { isEnabled: false, updatedAt: LATER })).toMatchObject({ isEnabled: false });
  expect(await endpoints.remove(ids)).toBe(true);
  expect(await endpoints.remove(ids)).toBe(false);
  expect(await reader.list(orgId)).toHaveLength(ENDPOINTS_MAX - 1);
});

test('while the table is unavailable, reads and writes throw an UnavailableError', async () => {
  const down = Object.assign(new Error('throttled'), { name: 'ThrottlingException' });
  vi.spyOn(dynamoDocumentClient(), 'send').mockRejectedValue(down as never);
  const ids = { orgId: randomUUID(), endpointId: randomUUID() };
  await expect(reader.list(ids.orgId)).rejects.toThrow(UnavailableError);
  await expect(endpoints.add(ids.orgId, anEndpoint())).rejects.toThrow(UnavailableError);
  await expect(endpoints.remove(ids)).rejects.toThrow(UnavailableError);
});
