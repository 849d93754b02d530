import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/redeliver-since/handler.ts';
import { redeliverSinceOperation } from '../../../../functions/webhooks/redeliver-since/operation.ts';
import { deliveryWorld } from '../../../support/deliveries/stored-deliveries.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { isoAt, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();

const SINCE = isoAt(NOON - 60_000);

async function setUp(...overrides: Parameters<typeof deliveryWorld>) {
  const world = await deliveryWorld(...overrides);
  const send = caller(redeliverSinceOperation, createHandler(world.ports));
  const redeliver = (
    body: unknown,
    endpointId = world.endpoint.id,
    headers: Record<string, string> = world.as('admin'),
  ) => send({ path: { orgId: world.orgId, endpointId }, body, headers });
  const stored = () => world.ports.endpointStates.find(world.endpoint.id);
  return { ...world, redeliver, stored };
}

test('200: an admin starts a redelivery, and the endpoint enters the due index', async () => {
  const { redeliver, stored } = await setUp();
  const expected = { since: SINCE, includeDelivered: false, requestedAt: isoAt(NOON) };
  expect(await redeliver({ since: '2026-03-02T12:59:00+01:00' })).toMatchObject({ status: 200, body: expected });
  expect(await stored()).toMatchObject({ dueAt: isoAt(NOON), redelivery: expected });
});

test('200: a repeated request returns the running redelivery; 400: rejects other parameters during a redelivery', async () => {
  const { redeliver, stored, clock } = await setUp();
  const first = await redeliver({ since: SINCE, includeDelivered: true });
  expect(first.status).toBe(200);
  const before = await stored();
  clock.nowMs += 1_000;
  expect((await redeliver({ since: SINCE, includeDelivered: true })).body).toEqual(first.body);
  const other = await redeliver({ since: SINCE });
  expect(other).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('is running') } } });
  expect((await stored())?.redelivery).toEqual(before?.redelivery);
});

test.each([{}, { since: 'yesterday' }, { since: isoAt(NOON + 1) }, { since: SINCE, all: true }])(
  '400: rejects the body %j, and stores nothing',
  async (body) => {
    const { redeliver, stored } = await setUp();
    expect((await redeliver(body)).status).toBe(400);
    expect(await stored()).toBeUndefined();
  },
);

test.each([{ isEnabled: false }, { pausedAt: SINCE, failingSince: SINCE }])(
  '400: rejects a redelivery to an endpoint with %j, and stores nothing',
  async (overrides) => {
    const { redeliver, stored } = await setUp(overrides);
    expect((await redeliver({ since: SINCE })).status).toBe(400);
    expect(await stored()).toBeUndefined();
  },
);

test.each(['member', 'stranger'] as const)('403: a %s cannot start a redelivery', async (who) => {
  const { redeliver, as, endpoint, stored } = await setUp();
  expect((await redeliver({ since: SINCE }, endpoint.id, as(who))).status).toBe(403);
  expect(await stored()).toBeUndefined();
});

test('404: an unknown endpoint and an endpoint of another organization get the same response', async () => {
  const { redeliver, foreign, ports } = await setUp();
  const response = await redeliver({ since: SINCE }, foreign.id);
  expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await redeliver({ since: SINCE }, randomUUID())).body).toEqual(response.body);
  expect(await ports.endpointStates.find(foreign.id)).toBeUndefined();
});
