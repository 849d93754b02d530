import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/create-endpoint/handler.ts';
import { createEndpointOperation } from '../../../../functions/webhooks/create-endpoint/operation.ts';
import { deriveSigningSecret } from '../../../../shared/webhooks/signing-secret.ts';
import { ENDPOINTS_MAX } from '../../../../shared/webhooks/webhook-endpoint.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { endpointWorld, isoAt, MASTER_SECRET, NOON, storedEndpoint } from '../../../support/webhooks/endpoints.ts';

const { callsOf } = useDynamo();

const BODY = { url: 'https://hooks.shop.example/tributary', eventTypes: ['lead.created', 'call.scored'] };

async function setUp() {
  const world = await endpointWorld();
  const send = caller(createEndpointOperation, createHandler(world.ports));
  const create = (body: unknown, headers: Record<string, string> = world.as('admin'), orgId = world.orgId) =>
    send({ path: { orgId }, body, headers });
  return { ...world, create };
}

test('201: an admin creates an enabled endpoint, and gets its signing secret', async () => {
  const { create, stored, endpoint } = await setUp();
  const { status, body } = await create({ ...BODY, description: ' CRM ' });
  expect(status).toBe(201);
  const { id } = body as { id: string };
  const now = isoAt(NOON);
  const [, created] = await stored();
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    ...BODY,
    description: 'CRM',
    enabled: true,
    pausedAt: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
    secretRotatedAt: null,
    secret: deriveSigningSecret(MASTER_SECRET, id, created?.secretGeneration ?? ''),
  });
  expect(await stored()).toEqual([endpoint, created]);
  expect(created).toMatchObject({ id, ...BODY, isEnabled: true, previousSecretGeneration: null });
  expect(JSON.stringify(created)).not.toContain('whsec_');
});

test('201: the URL is normalized, and the description is optional', async () => {
  const { create } = await setUp();
  const { body } = await create({ ...BODY, url: 'HTTPS://Hooks.Shop.Example:443' });
  expect(body).toMatchObject({ url: 'https://hooks.shop.example/', description: null });
});

test('201: if the organization already has an endpoint, adding another needs one write and no read', async () => {
  const { create } = await setUp();
  const calls = await callsOf(async () => expect((await create(BODY)).status).toBe(201));
  expect(calls).toEqual(['UpdateItem']);
});

test.each([
  ['body.url', { url: 'http://hooks.shop.example/' }],
  ['body.url', { url: 'https://169.254.169.254/latest/meta-data' }],
  ['body.url', { url: 'https://api.tributary.example/api/v2' }],
  ['body.url', { url: 'not a url' }],
  ['body.url', { url: '' }],
  ['body.url', { url: `https://hooks.shop.example/${'x'.repeat(2_048)}` }],
  ['body.url', { url: undefined }],
  ['body.eventTypes', { eventTypes: [] }],
  ['body.eventTypes', { eventTypes: ['lead.created', 'lead.created'] }],
  ['body.eventTypes[0]', { eventTypes: ['lead.stolen'] }],
  ['body.description', { description: 'x'.repeat(201) }],
  ['body', { secret: 'whsec_own' }],
])('400: for an invalid body, the message names %s and nothing is stored', async (path, overrides) => {
  const { create, stored, endpoint } = await setUp();
  const { status, body } = await create({ ...BODY, ...overrides });
  expect([status, body]).toMatchObject([400, { error: { code: 'bad_request' } }]);
  expect((body as { error: { message: string } }).error.message).toMatch(
    new RegExp(`(^|\\s)${path.replace('[', '\\[')}[ .]`),
  );
  expect(await stored()).toEqual([endpoint]);
});

test('400: an organization with ten endpoints cannot create another one', async () => {
  const { create, orgId, stored } = await setUp();
  for (let count = 1; count < ENDPOINTS_MAX; count += 1) await storedEndpoint(orgId);
  const { status, body } = await create(BODY);
  expect([status, body]).toMatchObject([
    400,
    {
      error: { message: 'The organization has 10 webhook endpoints, which is the maximum. Delete one of them first.' },
    },
  ]);
  expect(await stored()).toHaveLength(ENDPOINTS_MAX);
});

test.each(['member', 'stranger'] as const)('403: a %s cannot create an endpoint', async (who) => {
  const { create, as, stored, endpoint } = await setUp();
  expect((await create(BODY, as(who))).status).toBe(403);
  expect(await stored()).toEqual([endpoint]);
});

test('403: an admin cannot create an endpoint in an organization to which the admin does not belong', async () => {
  const { create, as, otherOrgId, storedForeign, foreign } = await setUp();
  expect((await create(BODY, as('admin'), otherOrgId)).status).toBe(403);
  expect(await storedForeign()).toEqual([foreign]);
  expect((await create(BODY, as('admin'), randomUUID())).status).toBe(403);
});

test('503: nothing is stored while the master secret cannot be read', async () => {
  const { create, failing, stored, endpoint } = await setUp();
  failing.secret = true;
  expect(await create(BODY)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(await stored()).toEqual([endpoint]);
});
