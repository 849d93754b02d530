import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/redeliver/handler.ts';
import { redeliverOperation } from '../../../../functions/webhooks/redeliver/operation.ts';
import { deliveryWorld } from '../../../support/deliveries/stored-deliveries.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { isoAt, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();

async function setUp(...overrides: Parameters<typeof deliveryWorld>) {
  const world = await deliveryWorld(...overrides);
  const { delivery, endpoint, ports } = world;
  const send = caller(redeliverOperation, createHandler(ports));
  const redeliver = (
    messageId = delivery.messageId,
    endpointId = endpoint.id,
    headers: Record<string, string> = world.as('admin'),
  ) => send({ path: { orgId: world.orgId, endpointId, messageId }, headers });
  const stored = async () => [await ports.lanes.find(delivery), await ports.endpointStates.find(endpoint.id)];
  return { ...world, redeliver, stored };
}

test('200: an admin requests that a message is sent again, and the endpoint enters the due index', async () => {
  const { redeliver, stored, delivery, orgId } = await setUp();
  expect(await redeliver()).toMatchObject({ status: 200, body: { success: true } });
  expect(await stored()).toMatchObject([
    { subject: delivery.subject, orgId, redeliveries: ['lead.created'], nextAt: isoAt(NOON) },
    { dueAt: isoAt(NOON) },
  ]);
});

test.each([{ isEnabled: false }, { pausedAt: isoAt(NOON), failingSince: isoAt(NOON) }])(
  '400: rejects a redelivery to an endpoint with %j, and stores nothing',
  async (overrides) => {
    const { redeliver, stored } = await setUp(overrides);
    expect(await redeliver()).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
    expect(await stored()).toEqual([undefined, undefined]);
  },
);

test('400: rejects a malformed message id', async () => {
  const { redeliver } = await setUp();
  expect((await redeliver(randomUUID())).status).toBe(400);
});

test.each(['member', 'stranger'] as const)('403: a %s cannot request that a message is sent again', async (who) => {
  const { redeliver, as, delivery, endpoint, stored } = await setUp();
  expect((await redeliver(delivery.messageId, endpoint.id, as(who))).status).toBe(403);
  expect(await stored()).toEqual([undefined, undefined]);
});

test('404: a message of another organization, an unknown message and an endpoint of another organization are not found', async () => {
  const { redeliver, foreign, foreignDelivery, ports } = await setUp();
  const response = await redeliver(foreignDelivery.messageId);
  expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await redeliver(`msg_${randomUUID()}`)).body).toEqual(response.body);
  expect((await redeliver(foreignDelivery.messageId, foreign.id)).status).toBe(404);
  expect(await ports.lanes.find(foreignDelivery)).toBeUndefined();
});
