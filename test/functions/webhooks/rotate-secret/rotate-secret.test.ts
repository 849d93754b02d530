import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/rotate-secret/handler.ts';
import { rotateSecretOperation } from '../../../../functions/webhooks/rotate-secret/operation.ts';
import { deriveSigningSecret } from '../../../../shared/webhooks/signing-secret.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { endpointWorld, isoAt, MASTER_SECRET, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();

async function setUp() {
  const world = await endpointWorld();
  const send = caller(rotateSecretOperation, createHandler(world.ports));
  const rotate = (endpointId = world.endpoint.id, headers: Record<string, string> = world.as('admin')) =>
    send({ path: { orgId: world.orgId, endpointId }, headers });
  return { ...world, rotate };
}

const MINUTE_MS = 60_000;

const secretOfGeneration = (id: string, generation = '') => deriveSigningSecret(MASTER_SECRET, id, generation);
const secretOf = ({ body }: { body: unknown }) => (body as { secret: string }).secret;

test('200: each rotation returns a new secret, and changes nothing else of the endpoint', async () => {
  const { rotate, stored, endpoint, clock } = await setUp();
  const first = await rotate();
  expect(first).toMatchObject({ status: 200, body: { id: endpoint.id, secretRotatedAt: isoAt(NOON) } });
  const [rotated] = await stored();
  expect(secretOf(first)).toBe(secretOfGeneration(endpoint.id, rotated?.secretGeneration));
  clock.nowMs += MINUTE_MS;
  const second = await rotate();
  const at = isoAt(NOON + MINUTE_MS);
  const [again] = await stored();
  expect(again).toEqual({
    ...endpoint,
    secretGeneration: expect.any(String),
    previousSecretGeneration: rotated?.secretGeneration,
    secretRotatedAt: at,
    updatedAt: at,
  });
  expect(secretOf(second)).toBe(secretOfGeneration(endpoint.id, again?.secretGeneration));
  const generations = [endpoint, rotated, again].map((one) => one?.secretGeneration);
  expect(new Set(generations).size).toBe(3);
});

test('200: a rotation that is repeated within a minute returns the same secret and stores nothing', async () => {
  const { rotate, stored, clock } = await setUp();
  const first = await rotate();
  expect(first.status).toBe(200);
  const before = await stored();
  clock.nowMs += MINUTE_MS - 1;
  expect(await rotate()).toEqual({ ...first, headers: expect.anything() });
  expect(await stored()).toEqual(before);
});

test('200: after a restore of the table undid a rotation, the next rotation returns a different secret', async () => {
  const { rotate, ports, orgId, endpoint, clock } = await setUp();
  const lost = secretOf(await rotate());
  await ports.endpoints.remove({ orgId, endpointId: endpoint.id });
  await ports.endpoints.add(orgId, endpoint);
  clock.nowMs += MINUTE_MS;
  const later = await rotate();
  expect(later.status).toBe(200);
  expect(secretOf(later)).not.toBe(lost);
});

test('200: concurrent rotations that read the same secret generation return the same secret', async () => {
  const { as, orgId, ports, endpoint, stored } = await setUp();
  const find = async () => endpoint;
  const send = caller(rotateSecretOperation, createHandler({ ...ports, endpoints: { ...ports.endpoints, find } }));
  const rotate = () => send({ path: { orgId, endpointId: endpoint.id }, headers: as('admin') });
  const secrets = (await Promise.all([rotate(), rotate(), rotate()])).map(secretOf);
  const [rotated] = await stored();
  expect(new Set(secrets)).toEqual(new Set([secretOfGeneration(endpoint.id, rotated?.secretGeneration)]));
  expect(rotated?.previousSecretGeneration).toBe(endpoint.secretGeneration);
});

test.each(['member', 'stranger'] as const)('403: a %s cannot rotate a secret', async (who) => {
  const { rotate, as, stored, endpoint } = await setUp();
  expect((await rotate(endpoint.id, as(who))).status).toBe(403);
  expect(await stored()).toEqual([endpoint]);
});

test('404: an unknown endpoint and an endpoint of another organization get the same response', async () => {
  const { rotate, foreign, storedForeign } = await setUp();
  const response = await rotate(foreign.id);
  expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await rotate(randomUUID())).body).toEqual(response.body);
  expect(await storedForeign()).toEqual([foreign]);
});

test('503: nothing is rotated while the master secret cannot be read', async () => {
  const { rotate, failing, stored, endpoint } = await setUp();
  failing.secret = true;
  expect((await rotate()).status).toBe(503);
  expect(await stored()).toEqual([endpoint]);
});
