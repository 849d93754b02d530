import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/training/create-case/handler.ts';
import { createCaseOperation } from '../../../../functions/training/create-case/operation.ts';
import { systemIdGenerator } from '../../../../shared/platform/id-generator.ts';
import type { TrainingCase } from '../../../../shared/training/training-case.ts';
import { caller } from '../../../support/http.ts';
import { anOrganization } from '../../../support/organizations/members.ts';

const aDo = { label: 'Names the next step' };

const aCase = (overrides: Record<string, unknown> = {}) => ({
  name: 'Price objection',
  description: 'The customer finds the offer too expensive',
  situation: 'A second call after the offer was sent',
  objective: 'Keep the price and agree on a date',
  successCriteria: 'A date is agreed',
  dos: [aDo],
  ...overrides,
});

function setUp() {
  const organization = anOrganization();
  const stored: { orgId: string; trainingCase: TrainingCase }[] = [];
  const handler = createHandler({
    authorization: organization.authorization,
    ids: systemIdGenerator,
    cases: { add: async (orgId, trainingCase) => void stored.push({ orgId, trainingCase }) },
  });
  const send = caller(createCaseOperation, handler);
  const post = (body: unknown, headers: Record<string, string> = organization.as('admin')) =>
    send({ path: { orgId: organization.orgId }, body, headers });
  return { post, send, stored, ...organization };
}

test('201: stores the case in the organization, and returns the stored case', async () => {
  const { post, stored, orgId } = setUp();
  const response = await post(aCase({ difficulty: 'hard', dos: [{ id: 'next', label: 'Names the next step' }] }));
  expect(response.status).toBe(201);
  expect(response.body).toMatchObject({
    ...aCase(),
    difficulty: 'hard',
    dos: [{ id: 'next', label: 'Names the next step' }],
    archivedAt: null,
  });
  expect(stored).toEqual([{ orgId, trainingCase: response.body }]);
});

test('201: difficulty defaults to medium, and an item of dos without an id gets a UUID', async () => {
  const { post } = setUp();
  const { body } = await post(aCase());
  expect(body).toMatchObject({ difficulty: 'medium', dos: [{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) }] });
});

test('201: texts are stored trimmed and in NFC, and their limits count code points', async () => {
  const { post } = setUp();
  const name = `  ${'🙂'.repeat(78)}e\u0301x  `;
  const { status, body } = await post(aCase({ name }));
  expect(status).toBe(201);
  expect(body).toMatchObject({ name: `${'🙂'.repeat(78)}éx` });
});

test('201: keeps the ids of dos unchanged', async () => {
  const { post } = setUp();
  const ids = [' x', 'x', 'e\u0301', '\u00e9'];
  const { status, body } = await post(aCase({ dos: ids.map((id) => ({ ...aDo, id })) }));
  expect(status).toBe(201);
  expect(body).toMatchObject({ dos: ids.map((id) => ({ id })) });
});

test('201: an owner of the organization may create a case', async () => {
  const { post, as } = setUp();
  expect((await post(aCase(), as('owner'))).status).toBe(201);
});

test.each([
  ['body.name', { name: '' }],
  ['body.name', { name: 'x'.repeat(81) }],
  ['body.name', { name: '   ' }],
  ['body.name', { name: undefined }],
  ['body.name', { name: 7 }],
  ['body.description', { description: 'x'.repeat(201) }],
  ['body.situation', { situation: 'x'.repeat(1001) }],
  ['body.objective', { objective: 'x'.repeat(501) }],
  ['body.successCriteria', { successCriteria: 'x'.repeat(501) }],
  ['body.difficulty', { difficulty: 'brutal' }],
  ['body.dos', { dos: [] }],
  ['body.dos', { dos: Array.from({ length: 11 }, () => aDo) }],
  ['body.dos[0].label', { dos: [{ label: 'x'.repeat(201) }] }],
  [
    'body.dos[1].id',
    {
      dos: [
        { id: 'a', label: 'A' },
        { id: 'a', label: 'B' },
      ],
    },
  ],
  ['body', { surprise: true }],
  ['body.name', { name: 'a\u0000b' }],
  ['body.name', { name: 'half \ud800' }],
  ['body.dos[0].id', { dos: [{ ...aDo, id: '\ud800' }] }],
])('400: for an invalid body, the message names %s and nothing is stored', async (path, overrides) => {
  const { post, stored } = setUp();
  const response = await post(aCase(overrides));
  expect(response).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
  expect((response.body as { error: { message: string } }).error.message.split(' ')[0]).toBe(path);
  expect(stored).toEqual([]);
});

test('400: rejects an Idempotency-Key that is not a UUID; a valid key has no effect', async () => {
  const { post, stored, as } = setUp();
  const withKey = (key: string) => post(aCase(), { ...as('admin'), 'Idempotency-Key': key });
  expect(await withKey('again')).toMatchObject({
    status: 400,
    body: { error: { code: 'bad_request', message: 'header.idempotency-key must be a UUID.' } },
  });
  expect(stored).toEqual([]);
  const key = randomUUID();
  expect([(await withKey(key)).status, (await withKey(key)).status, stored.length]).toEqual([201, 201, 2]);
});

test('401: rejects a request without a valid token, before the path and the body are validated', async () => {
  const { send, stored } = setUp();
  const response = await send({ path: { orgId: 'not-a-uuid' }, body: '{' });
  expect(response).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  expect(stored).toEqual([]);
});

test('400: rejects a malformed orgId, before membership is checked', async () => {
  const { send, as } = setUp();
  const response = await send({ path: { orgId: 'x' }, body: aCase(), headers: as('stranger') });
  expect(response).toMatchObject({ status: 400, body: { error: { message: 'path.orgId must be a UUID.' } } });
});

test.each(['member', 'stranger'] as const)('403: rejects a %s, even with an invalid body', async (who) => {
  const { post, as, stored } = setUp();
  expect((await post('{', as(who))).status).toBe(403);
  expect((await post(aCase(), as(who))).status).toBe(403);
  expect(stored).toEqual([]);
});

test('403: rejects an admin of another organization', async () => {
  const { send, as, stored } = setUp();
  expect((await send({ path: { orgId: randomUUID() }, body: aCase(), headers: as('admin') })).status).toBe(403);
  expect(stored).toEqual([]);
});

test('429: rejects the 61st request of a user within a minute, with the rate limit headers, before the body is validated', async () => {
  const { post, stored } = setUp();
  for (let call = 0; call < 60; call++) await post(aCase());
  const response = await post('{');
  expect(response).toMatchObject({
    status: 429,
    headers: { 'retry-after': '42', 'ratelimit-limit': '60', 'ratelimit-remaining': '0', 'ratelimit-reset': '42' },
    body: { error: { code: 'rate_limited' } },
  });
  expect(stored).toHaveLength(60);
});

test('500: reveals no details when the case cannot be stored', async () => {
  const { authorization, orgId, as } = anOrganization();
  const failing = createHandler({
    authorization,
    ids: systemIdGenerator,
    cases: { add: async () => Promise.reject(new Error('table training-xyz is on fire')) },
  });
  const response = await caller(createCaseOperation, failing)({ path: { orgId }, body: aCase(), headers: as('admin') });
  expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  expect(response.text).not.toContain('fire');
});
