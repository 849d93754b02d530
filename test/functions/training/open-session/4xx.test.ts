import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useDynamo } from '../../../support/dynamo.ts';
import { setUpSessions, storedCase, storedPersona } from '../../../support/training/sessions.ts';

const { callsOf } = useDynamo();

type World = Awaited<ReturnType<typeof setUpSessions>>;

/** Expects that no session was opened, that the provider got no request, and that nothing was stored or counted. */
async function expectNothing({ requestedAgents, stored, countedSessions }: World): Promise<void> {
  expect(requestedAgents).toEqual([]);
  expect(await stored()).toEqual({ calls: [], lookups: [] });
  expect(await countedSessions()).toBe(0);
}

const ID = '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59';

test.each([
  ['body.caseId', { caseId: '', personaId: ID }],
  ['body.personaId', { caseId: ID, personaId: '' }],
  ['body.caseId', { personaId: ID }],
  ['body.personaId', { caseId: ID }],
  ['body.caseId', { caseId: 7, personaId: ID }],
  ['body.personaId', { caseId: ID, personaId: null }],
  ['body.personaId', { caseId: ID, personaId: [ID] }],
  ['body', { caseId: ID, personaId: ID, surprise: true }],
  ['body', []],
  ['body', 'null'],
])('400: the message names %s for the body %j, and no session is opened', async (path, body) => {
  const world = await setUpSessions();
  const response = await world.open(body);
  expect(response).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
  expect((response.body as { error: { message: string } }).error.message.split(' ')[0]).toBe(path);
  await expectNothing(world);
});

test.each(['', '{', '{"caseId":"a\\u0000","personaId":"b"}'])(
  '400: rejects the body %j, and opens nothing',
  async (body) => {
    const world = await setUpSessions();
    expect(await world.open(body)).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
    await expectNothing(world);
  },
);

test('400: rejects an Idempotency-Key that is not a UUID; a valid key has no effect', async () => {
  const world = await setUpSessions();
  const withKey = (key: string) => world.open(world.ids, { ...world.as('member'), 'Idempotency-Key': key });
  expect(await withKey('again')).toMatchObject({
    status: 400,
    body: { error: { code: 'bad_request', message: 'header.idempotency-key must be a UUID.' } },
  });
  await expectNothing(world);
  expect([(await withKey(ID)).status, (await withKey(ID)).status, await world.countedSessions()]).toEqual([
    201, 201, 2,
  ]);
});

test('400: rejects an orgId that is not a UUID, before membership and body are checked', async () => {
  const world = await setUpSessions();
  const response = await world.send({ path: { orgId: 'x' }, body: '{', headers: world.as('stranger') });
  expect(response).toMatchObject({ status: 400, body: { error: { message: 'path.orgId must be a UUID.' } } });
  await expectNothing(world);
});

test('401: rejects a request without a valid token, before path and body are validated', async () => {
  const world = await setUpSessions();
  for (const headers of [{}, { authorization: 'Bearer unknown' }]) {
    const response = await world.send({ path: { orgId: 'x' }, body: '{', headers });
    expect(response).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  }
  await expectNothing(world);
});

test('403: rejects a non-member, even with an invalid body', async () => {
  const world = await setUpSessions();
  for (const body of [world.ids, '{']) {
    const response = await world.open(body, world.as('stranger'));
    expect(response).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  }
  await expectNothing(world);
});

test('403: rejects an owner of another organization, even with valid ids of the requested organization', async () => {
  const [world, other] = [await setUpSessions(), await setUpSessions()];
  const response = await world.send({ path: { orgId: other.orgId }, body: other.ids, headers: world.as('owner') });
  expect(response.status).toBe(403);
  await expectNothing(world);
  await expectNothing(other);
});

test('404: an unknown, archived or malformed id of a case or persona gets the same response as another organization’s id', async () => {
  const [world, other] = [await setUpSessions(), await setUpSessions()];
  const archived = await storedCase(world.orgId, { archivedAt: '2024-06-01T00:00:00.000Z' });
  const { caseId, personaId } = world.ids;
  const bodies = [
    { caseId: randomUUID(), personaId },
    { caseId, personaId: randomUUID() },
    { caseId: other.ids.caseId, personaId },
    { caseId, personaId: other.ids.personaId },
    other.ids,
    { caseId: archived.id, personaId },
    { caseId: 'no-uuid', personaId },
  ];
  const responses = new Set<string>();
  for (const body of bodies) {
    const { headers, text, status } = await world.open(body);
    const { 'x-request-id': _, ...rest } = headers;
    responses.add(JSON.stringify({ status, text, headers: rest }));
  }
  expect([...responses]).toEqual([expect.stringContaining('"status":404')]);
  expect([...responses][0]).toContain('not_found');
  await expectNothing(world);
  await expectNothing(other);
});

test.each(['x', '  ', 'é', `${ID}0`, '{3f2a9c1e}', ID.replaceAll('-', ''), '../persona', 'case#1', 'x'.repeat(99)])(
  '404: an invalid case id or persona id (%j) is not found, without a request to a table',
  async (invalidId) => {
    const world = await setUpSessions();
    const calls = await callsOf(async () => {
      expect((await world.open({ ...world.ids, caseId: invalidId })).status).toBe(404);
      expect((await world.open({ ...world.ids, personaId: invalidId })).status).toBe(404);
    });
    expect(calls).toEqual([]);
    await expectNothing(world);
  },
);

test('404: rejects the id of a case as `personaId`, and the id of a persona as `caseId`', async () => {
  const world = await setUpSessions();
  const { caseId, personaId } = world.ids;
  for (const body of [
    { caseId: personaId, personaId: caseId },
    { caseId, personaId: caseId },
  ]) {
    expect((await world.open(body)).status).toBe(404);
  }
  await expectNothing(world);
});

test('201: each case that is not archived can be practised with each persona of the organization', async () => {
  const { open, orgId, ids } = await setUpSessions();
  const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
  expect((await open({ caseId: trainingCase.id, personaId: ids.personaId })).status).toBe(201);
  expect((await open({ caseId: ids.caseId, personaId: persona.id })).status).toBe(201);
});
