import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { createHandler } from '../../../../functions/domains/delete/handler.ts';
import { deleteDomainOperation } from '../../../../functions/domains/delete/operation.ts';
import { createDynamoRemovalRequestRepository } from '../../../../shared/domains/aws/dynamo-removal-request-repository.ts';
import type { CustomDomain, DomainIds } from '../../../../shared/domains/domain.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { domainItem, isoAt, NOON, storedDomain } from '../../../support/domains/domains.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { countLoggedMetrics, loggedText } from '../../../support/logs/logged-metrics.ts';
import { anOrganization } from '../../../support/organizations/members.ts';

const { callsOf } = useDynamo();

async function setUp(overrides: Partial<CustomDomain> = {}) {
  const members = anOrganization();
  const { orgId, authorization, as } = members;
  const domain = await storedDomain({ orgId, ...overrides });
  const started: DomainIds[] = [];
  const lambda = { start: async (ids: DomainIds) => void started.push(ids) };
  const ports = { authorization, domains: createDynamoRemovalRequestRepository(), clock: { now: () => NOON } };
  const send = caller(deleteDomainOperation, createHandler({ ...ports, start: (ids) => lambda.start(ids) }));
  const remove = (assetId: string = domain.id, headers: Record<string, string> = as('admin')) =>
    send({ path: { orgId, assetId }, headers });
  const stored = () => domainItem({ orgId, domainId: domain.id });
  return { ...members, domain, started, lambda, send, remove, stored };
}

type World = Awaited<ReturnType<typeof setUp>>;

async function expectUntouched({ stored, started, domain }: World): Promise<void> {
  expect(await stored()).toMatchObject({ status: domain.status, removal: null, revision: 1 });
  expect(await stored()).not.toHaveProperty('dueAt');
  expect(started).toEqual([]);
}

test.each(['pending', 'verified', 'active'] as const)(
  '200: changes the status of a domain from %s to removing, starts its removal, and makes it due for the sweeper',
  async (status) => {
    const { remove, stored, started, orgId, domain } = await setUp({ status });
    expect(await remove()).toMatchObject({ status: 200, body: { success: true } });
    expect(await stored()).toMatchObject({
      status: 'removing',
      revision: 2,
      hostname: domain.hostname,
      removal: { step: 'unbind_pages', requestedAt: isoAt(NOON), since: isoAt(NOON), attempts: 0, problem: null },
      dueAt: isoAt(NOON + 30_000),
      dueShard: expect.stringMatching(/^removal#[0-7]$/),
    });
    expect(started).toEqual([{ orgId, domainId: domain.id }]);
  },
);

test('200: a removal sends one write and no read to the table', async () => {
  const { remove } = await setUp();
  expect(await callsOf(async () => expect((await remove()).status).toBe(200))).toEqual(['UpdateItem']);
});

test('200: if the SDK retries a write after a lost response, the domain changes only once', async () => {
  const { remove, started, stored, domain } = await setUp();
  const client = dynamoDocumentClient();
  const write = client.send.bind(client);
  const twice = async (command: UpdateCommand) => {
    if (command instanceof UpdateCommand) await write(command);
    return write(command);
  };
  const send = vi.spyOn(client, 'send').mockImplementation(twice as typeof client.send);
  const response = await remove();
  send.mockRestore();
  expect(response).toMatchObject({ status: 200, body: { success: true } });
  expect(await stored()).toMatchObject({ status: 'removing', revision: 2 });
  expect(started).toEqual([expect.objectContaining({ domainId: domain.id })]);
  expect((await remove()).status).toBe(404);
});

test('200: accepts an owner, and a domain id in upper case', async () => {
  const { remove, as, domain } = await setUp();
  expect((await remove(domain.id.toUpperCase(), as('owner'))).status).toBe(200);
});

test('200: if the background function cannot be started, logs and counts the failure, and the removal is due for the sweeper', async () => {
  const { remove, lambda, stored } = await setUp();
  lambda.start = () => Promise.reject(new Error('Lambda did not respond.'));
  expect(await remove()).toMatchObject({ status: 200, body: { success: true } });
  expect(await stored()).toMatchObject({ status: 'removing', dueAt: isoAt(NOON + 30_000) });
  expect(countLoggedMetrics()).toMatchObject({ DomainRemovalsNotStarted: 1 });
  expect(loggedText()).toContain('Lambda did not respond.');
});

test('404: an unknown domain, another organization’s domain and a domain in removal get the same response', async () => {
  const [world, other] = [await setUp(), await setUp()];
  const removed = await storedDomain({ orgId: world.orgId });
  expect((await world.remove(removed.id)).status).toBe(200);
  const [marked] = world.started.splice(0);
  const before = await domainItem({ orgId: world.orgId, domainId: marked?.domainId ?? '' });
  const responses = new Set<string>();
  for (const id of [randomUUID(), other.domain.id, removed.id]) {
    const { headers, text, status } = await world.remove(id);
    const { 'x-request-id': _, ...rest } = headers;
    responses.add(JSON.stringify({ status, text, headers: rest }));
  }
  expect([...responses]).toEqual([expect.stringMatching(/"status":404.*not_found/)]);
  expect(await domainItem({ orgId: world.orgId, domainId: removed.id })).toEqual(before);
  await expectUntouched(world);
  await expectUntouched(other);
});

test('404: of ten concurrent requests, one succeeds and nine are rejected', async () => {
  const { remove, started, stored } = await setUp();
  const responses = await Promise.all(Array.from({ length: 10 }, () => remove()));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  expect(started).toHaveLength(1);
  expect(await stored()).toMatchObject({ revision: 2 });
});

test.each(['x', '', 'domain#1', '../members', `${randomUUID()}0`])('400: rejects the assetId %j', async (assetId) => {
  const world = await setUp();
  expect(await world.remove(assetId)).toMatchObject({
    status: 400,
    body: { error: { code: 'bad_request', message: 'path.assetId must be a UUID.' } },
  });
  await expectUntouched(world);
});

test('400: rejects an orgId that is not a UUID before it checks the membership', async () => {
  const world = await setUp();
  const response = await world.send({ path: { orgId: 'x', assetId: world.domain.id }, headers: world.as('stranger') });
  expect(response).toMatchObject({ status: 400, body: { error: { message: 'path.orgId must be a UUID.' } } });
  await expectUntouched(world);
});

test('400: rejects an Idempotency-Key that is not a UUID, and ignores a valid key', async () => {
  const world = await setUp();
  const withKey = (key: string) => world.remove(world.domain.id, { ...world.as('admin'), 'Idempotency-Key': key });
  expect((await withKey('again')).status).toBe(400);
  await expectUntouched(world);
  const key = randomUUID();
  expect([(await withKey(key)).status, (await withKey(key)).status]).toEqual([200, 404]);
});

test('401: rejects a request without a valid token before it validates the path', async () => {
  const world = await setUp();
  for (const headers of [{}, { authorization: 'Bearer invalid' }]) {
    expect(await world.remove('x', headers)).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  }
  await expectUntouched(world);
});

test('403: rejects a user with the role member, a user without a role, and an owner of another organization', async () => {
  const [world, other] = [await setUp(), await setUp()];
  for (const who of ['member', 'stranger'] as const) {
    expect(await world.remove(world.domain.id, world.as(who))).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
  }
  const path = { orgId: other.orgId, assetId: other.domain.id };
  expect((await world.send({ path, headers: world.as('owner') })).status).toBe(403);
  await expectUntouched(world);
  await expectUntouched(other);
});

test('429: the 61st request of a user in one window of a minute removes no domain', async () => {
  const world = await setUp();
  for (let call = 0; call < 60; call++) expect((await world.remove(randomUUID())).status).toBe(404);
  expect(await world.remove()).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '60' } });
  await expectUntouched(world);
  expect((await world.remove(world.domain.id, world.as('owner'))).status).toBe(200);
});

test('503: starts no removal while the directory table is throttled, and a later request succeeds', async () => {
  const world = await setUp();
  const send = vi.spyOn(dynamoDocumentClient(), 'send').mockImplementation(async () => {
    throw Object.assign(new Error('secret-table'), { name: 'ThrottlingException' });
  });
  const response = await world.remove();
  send.mockRestore();
  expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(response.body).toMatchObject({ error: { code: 'service_unavailable' } });
  expect(response.text).not.toContain('secret-table');
  await expectUntouched(world);
  expect((await world.remove()).status).toBe(200);
});

test('500: after an unexpected error, the response contains no details and no removal is started', async () => {
  const world = await setUp();
  const table = process.env.DIRECTORY_TABLE;
  process.env.DIRECTORY_TABLE = 'elsewhere';
  const response = await world.remove();
  process.env.DIRECTORY_TABLE = table;
  expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  expect(response.text).not.toContain('elsewhere');
  await expectUntouched(world);
});
