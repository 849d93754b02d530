import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/update-endpoint/handler.ts';
import { updateEndpointOperation } from '../../../../functions/webhooks/update-endpoint/operation.ts';
import type { WebhookEndpoint } from '../../../../shared/webhooks/webhook-endpoint.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { endpointWorld, isoAt, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();

async function setUp(overrides: Partial<WebhookEndpoint> = {}) {
  const world = await endpointWorld({ description: 'CRM', ...overrides });
  const send = caller(updateEndpointOperation, createHandler(world.ports));
  const update = (body: unknown, endpointId = world.endpoint.id, headers: Record<string, string> = world.as('admin')) =>
    send({ path: { orgId: world.orgId, endpointId }, body, headers });
  return { ...world, update };
}

test.each([
  [{ url: 'https://other.shop.example' }, { url: 'https://other.shop.example/' }],
  [{ eventTypes: ['lead.erased'] }, { eventTypes: ['lead.erased'] }],
  [{ description: 'Sales' }, { description: 'Sales' }],
  [{ description: null }, { description: null }],
  [{ enabled: false }, { isEnabled: false }],
  [
    { enabled: false, description: 'Paused' },
    { isEnabled: false, description: 'Paused' },
  ],
])('200: the body %j changes only the settings that it contains', async (body, changed) => {
  const { update, stored, endpoint, resumed } = await setUp();
  const expected = { ...endpoint, ...changed, updatedAt: isoAt(NOON) };
  const { isEnabled, secretGeneration: _current, previousSecretGeneration: _previous, ...visible } = expected;
  expect(await update(body)).toMatchObject({ status: 200, body: { ...visible, enabled: isEnabled } });
  expect(await stored()).toEqual([expected]);
  // A new URL also calls `resume`, because failed attempts at the earlier URL do not count.
  expect(resumed).toEqual('url' in body ? [endpoint.id] : []);
});

test('200: `enabled: true` ends a pause and calls `resume` for the endpoint; a new description does not end a pause', async () => {
  const pause = { pausedAt: isoAt(NOON - 9), failingSince: isoAt(NOON - 99) };
  const { update, stored, endpoint, resumed } = await setUp(pause);
  expect(await update({ description: 'CRM' })).toMatchObject({ status: 200, body: { enabled: true, ...pause } });
  expect(resumed).toEqual([]);
  const running = { pausedAt: null, failingSince: null };
  expect(await update({ enabled: true })).toMatchObject({ status: 200, body: { enabled: true, ...running } });
  expect(await stored()).toMatchObject([running]);
  expect(resumed).toEqual([endpoint.id]);
});

test.each([
  ['body', {}],
  ['body', { secretGeneration: 7 }],
  ['body', { isEnabled: false }],
  ['body.url', { url: 'https://localhost/' }],
  ['body.url', { url: null }],
  ['body.enabled', { enabled: 'no' }],
  ['body.eventTypes', { eventTypes: [] }],
])('400: the message names %s for %j, and nothing changes', async (path, body) => {
  const { update, stored, endpoint } = await setUp();
  const response = await update(body);
  expect(response).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
  expect((response.body as { error: { message: string } }).error.message).toMatch(new RegExp(`(^|\\s)${path}[ .]`));
  expect(await stored()).toEqual([endpoint]);
});

test.each(['member', 'stranger'] as const)('403: a %s cannot change an endpoint', async (who) => {
  const { update, as, stored, endpoint } = await setUp();
  expect((await update({ enabled: false }, endpoint.id, as(who))).status).toBe(403);
  expect(await stored()).toEqual([endpoint]);
});

test('404: an unknown endpoint and an endpoint of another organization get the same response', async () => {
  const { update, foreign, stored, endpoint, storedForeign } = await setUp();
  const response = await update({ enabled: false }, foreign.id);
  expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await update({ enabled: false }, randomUUID())).body).toEqual(response.body);
  expect([await stored(), await storedForeign()]).toEqual([[endpoint], [foreign]]);
});
