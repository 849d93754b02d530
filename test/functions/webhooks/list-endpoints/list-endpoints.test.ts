import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/list-endpoints/handler.ts';
import { listEndpointsOperation } from '../../../../functions/webhooks/list-endpoints/operation.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { endpointWorld, storedEndpoint } from '../../../support/webhooks/endpoints.ts';

useDynamo();

async function setUp() {
  const world = await endpointWorld();
  const send = caller(listEndpointsOperation, createHandler(world.ports));
  const list = (orgId = world.orgId, headers: Record<string, string> = world.as('admin')) =>
    send({ path: { orgId }, headers });
  return { ...world, list };
}

test('200: an admin lists the endpoints of the organization, without secrets', async () => {
  const { list, orgId, endpoint } = await setUp();
  const { isEnabled: _enabled, secretGeneration: _current, previousSecretGeneration: _previous, ...visible } = endpoint;
  const second = await storedEndpoint(orgId, { isEnabled: false });
  const { status, body, text } = await list();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    endpoints: [
      { ...visible, enabled: true },
      { id: second.id, enabled: false },
    ],
  });
  expect(text).not.toMatch(/secretGeneration|whsec_/);
});

test('200: the list of an organization without endpoints is empty', async () => {
  const { list, ports, orgId, endpoint } = await setUp();
  await ports.endpoints.remove({ orgId, endpointId: endpoint.id });
  expect(await list()).toMatchObject({ status: 200, body: { endpoints: [] } });
});

test('403: a user with the role member, a user without a role and an admin of another organization cannot list endpoints', async () => {
  const { list, as, orgId, otherOrgId } = await setUp();
  const responses = [await list(orgId, as('member')), await list(orgId, as('stranger')), await list(otherOrgId)];
  expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
});
