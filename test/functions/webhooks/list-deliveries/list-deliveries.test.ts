import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/list-deliveries/handler.ts';
import { listDeliveriesOperation } from '../../../../functions/webhooks/list-deliveries/operation.ts';
import { deliveryWorld, storedDelivery } from '../../../support/deliveries/stored-deliveries.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { isoAt, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();

async function setUp() {
  const world = await deliveryWorld();
  const send = caller(listDeliveriesOperation, createHandler(world.ports));
  const list = (
    query: Record<string, string> = {},
    endpointId = world.endpoint.id,
    headers: Record<string, string> = world.as('admin'),
  ) => send({ path: { orgId: world.orgId, endpointId }, query, headers });
  return { ...world, list };
}

test('200: an admin lists the messages to an endpoint, newest first, and can filter them by status', async () => {
  const { list, orgId, endpoint, delivery } = await setUp();
  const newer = await storedDelivery(
    { orgId, endpointId: endpoint.id },
    { status: 'delivered', firstAttemptAt: isoAt(NOON + 1) },
  );
  const { orgId: _organization, endpointId: _endpoint, ...visible } = delivery;
  const messages = [{ messageId: newer.messageId, status: 'delivered' }, visible];
  expect(await list()).toMatchObject({ status: 200, body: { deliveries: messages, nextCursor: null } });
  const failed = await list({ status: 'failed' });
  expect(failed.body).toEqual({ deliveries: [visible], nextCursor: null });
});

test('200: a cursor continues the list', async () => {
  const { list, orgId, endpoint } = await setUp();
  for (let at = 1; at <= 50; at++)
    await storedDelivery({ orgId, endpointId: endpoint.id }, { firstAttemptAt: isoAt(NOON + at) });
  const { deliveries, nextCursor } = (await list()).body as { deliveries: unknown[]; nextCursor: string };
  expect(deliveries).toHaveLength(50);
  expect((await list({ cursor: nextCursor })).body).toMatchObject({
    deliveries: [{ firstAttemptAt: isoAt(NOON) }],
    nextCursor: null,
  });
});

test.each([
  ['status', 'sent'],
  ['cursor', '…'],
  ['cursor', Buffer.from('history#other').toString('base64url')],
])('400: the error names query.%s if its value is %j', async (name, value) => {
  const { list } = await setUp();
  const { status, body } = await list({ [name]: value });
  expect(status).toBe(400);
  expect((body as { error: { message: string } }).error.message).toContain(`query.${name}`);
});

test.each(['member', 'stranger'] as const)('403: a %s cannot list messages', async (who) => {
  const { list, as, endpoint } = await setUp();
  expect((await list({}, endpoint.id, as(who))).status).toBe(403);
});

test('404: an unknown endpoint and an endpoint of another organization get the same response', async () => {
  const { list, foreign } = await setUp();
  const response = await list({}, foreign.id);
  expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await list({}, randomUUID())).body).toEqual(response.body);
});
