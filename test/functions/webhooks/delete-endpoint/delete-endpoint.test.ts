import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/delete-endpoint/handler.ts';
import { deleteEndpointOperation } from '../../../../functions/webhooks/delete-endpoint/operation.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { endpointWorld, storedEndpoint } from '../../../support/webhooks/endpoints.ts';

useDynamo();

async function setUp() {
  const world = await endpointWorld();
  const send = caller(deleteEndpointOperation, createHandler(world.ports));
  const remove = (endpointId = world.endpoint.id, headers: Record<string, string> = world.as('admin')) =>
    send({ path: { orgId: world.orgId, endpointId }, headers });
  return { ...world, remove };
}

test('200: deletes one endpoint and no other', async () => {
  const { remove, orgId, stored } = await setUp();
  const other = await storedEndpoint(orgId);
  expect(await remove()).toMatchObject({ status: 200, body: { success: true } });
  expect(await stored()).toEqual([other]);
});

test('404: of five concurrent requests to delete an endpoint, one succeeds and four are rejected', async () => {
  const { remove } = await setUp();
  const responses = await Promise.all(Array.from({ length: 5 }, () => remove()));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
});

test.each(['member', 'stranger'] as const)('403: a %s cannot delete an endpoint', async (who) => {
  const { remove, as, stored, endpoint } = await setUp();
  expect((await remove(endpoint.id, as(who))).status).toBe(403);
  expect(await stored()).toEqual([endpoint]);
});

test('404: an unknown endpoint and an endpoint of another organization get the same response', async () => {
  const { remove, foreign, stored, endpoint, storedForeign } = await setUp();
  const response = await remove(foreign.id);
  expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await remove(randomUUID())).body).toEqual(response.body);
  expect([await stored(), await storedForeign()]).toEqual([[endpoint], [foreign]]);
});
