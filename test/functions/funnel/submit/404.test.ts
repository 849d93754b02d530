import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { setUpSubmit } from '../../../support/leads/submit.ts';

const notFound = { status: 404, body: { error: { code: 'not_found' } } };

test('404: an unknown or malformed lead id creates no lead', async () => {
  const { post, stored } = setUpSubmit();
  for (const lead_id of [
    randomUUID(),
    'lead',
    '../x',
    `${randomUUID()}#x`,
    '\ud800',
    '__proto__',
    'x'.repeat(100_000),
  ]) {
    expect(await post({ lead_id, update_token: 'token', data: { name: 'Ada' } })).toMatchObject(notFound);
  }
  expect(stored.all()).toEqual([]);
});

test("404: the handle of another funnel's lead changes nothing", async () => {
  const [ours, theirs] = [setUpSubmit(), setUpSubmit()];
  const handle = await theirs.aHandle({ name: 'Ada' });
  expect(await ours.post({ ...handle, data: { name: 'Eve' } })).toMatchObject(notFound);
  expect(theirs.dataOf(handle.lead_id)).toEqual({ name: 'Ada' });
});

test.each([
  ['archived', { archivedAt: '2026-02-01T00:00:00.000Z' }],
  ['never published', { publishedVersionId: null }],
  ['unpublished a day ago', { unpublishedAt: '2026-02-28T12:00:00.000Z' }],
])('404: a funnel that was %s accepts no submit', async (_, funnel) => {
  const { post, stored } = setUpSubmit({ funnel });
  expect(await post({ data: {} })).toMatchObject(notFound);
  expect(stored.all()).toEqual([]);
});

test('404: if a lead was erased, a repetition of its first submit does not create it again', async () => {
  const { leads } = setUpSubmit().stored;
  const { post, stored } = setUpSubmit({ ports: { leads: { ...leads, create: async () => ({ outcome: 'erased' }) } } });
  const again = await post({ data: { name: 'Ada' } }, { 'Idempotency-Key': randomUUID() });
  expect(again).toMatchObject({ status: 404, body: { error: { message: expect.stringContaining('Use a new key') } } });
  expect(again.text).not.toContain('update_token');
  expect(stored.all()).toEqual([]);
});

test('404: an unknown funnel accepts no submit', async () => {
  const { call, stored } = setUpSubmit();
  expect(await call({ path: { id: randomUUID() }, body: { data: {} } })).toMatchObject(notFound);
  expect(stored.all()).toEqual([]);
});
