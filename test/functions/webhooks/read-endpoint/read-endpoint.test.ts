import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/read-endpoint/handler.ts';
import { readEndpointOperation } from '../../../../functions/webhooks/read-endpoint/operation.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { endpointWorld } from '../../../support/webhooks/endpoints.ts';

useDynamo();

async function setUp() {
  const world = await endpointWorld();
  const send = caller(readEndpointOperation, createHandler(world.ports));
  const read = (endpointId: string, headers: Record<string, string> = world.as('admin')) =>
    send({ path: { orgId: world.orgId, endpointId }, headers });
  return { ...world, read };
}

test('200: an admin reads an endpoint, without its secret', async () => {
  const { read, endpoint } = await setUp();
  const { isEnabled, secretGeneration: _current, previousSecretGeneration: _previous, ...visible } = endpoint;
  expect(await read(endpoint.id.toUpperCase())).toMatchObject({
    status: 200,
    body: { ...visible, enabled: isEnabled },
  });
  expect((await read(endpoint.id)).text).not.toMatch(/secretGeneration|whsec_/);
});

test('403: a member cannot read an endpoint', async () => {
  const { read, as, endpoint } = await setUp();
  expect((await read(endpoint.id, as('member'))).status).toBe(403);
});

test('404: an unknown endpoint and an endpoint of another organization get the same response', async () => {
  const { read, foreign } = await setUp();
  const response = await read(foreign.id);
  expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await read(randomUUID())).body).toEqual(response.body);
});
