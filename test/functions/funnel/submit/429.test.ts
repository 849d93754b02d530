import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { setUpSubmit } from '../../../support/leads/submit.ts';

test('429: the 31st submit of a lead in a minute does not change the lead and does not limit other leads', async () => {
  const { post, aHandle, dataOf, clock } = setUpSubmit();
  const handle = await aHandle();
  for (let visit = 2; visit <= 30; visit++) expect((await post({ ...handle, data: { visit } })).status).toBe(200);
  clock.ms += 15_000;
  expect(await post({ ...handle, data: { visit: 31 } })).toMatchObject({
    status: 429,
    headers: { 'retry-after': '45', 'ratelimit-limit': '30', 'ratelimit-remaining': '0', 'ratelimit-reset': '45' },
    body: { error: { code: 'rate_limited' } },
  });
  expect(dataOf(handle.lead_id)).toEqual({ visit: 30 });
  expect((await post({ data: {} })).status).toBe(200);
  clock.ms += 45_000;
  expect((await post({ ...handle, data: { visit: 31 } })).status).toBe(200);
});

test('429: a funnel can set a lower or higher limit per lead', async () => {
  for (const submitsPerMinuteAndLead of [2, 40]) {
    const { post, aHandle } = setUpSubmit({ funnel: { limits: { submitsPerMinuteAndLead } } });
    const handle = await aHandle();
    const statuses: number[] = [];
    for (let time = 1; time <= submitsPerMinuteAndLead; time++) {
      statuses.push((await post({ ...handle, data: {} })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: submitsPerMinuteAndLead - 1 }, () => 200), 429]);
  }
});

test('429: a submit over the limit of its lead gets 429, even if the funnel is archived', async () => {
  const { post, aHandle, clock } = setUpSubmit({ funnel: { limits: { submitsPerMinuteAndLead: 1 } } });
  const handle = await aHandle();
  const archived = setUpSubmit({
    funnel: { archivedAt: new Date(clock.ms).toISOString(), limits: { submitsPerMinuteAndLead: 1 } },
  });
  expect((await post({ ...handle, data: {} })).status).toBe(429);
  const statuses = [await archived.post({ ...handle, data: {} }), await archived.post({ ...handle, data: {} })];
  expect(statuses.map(({ status }) => status)).toEqual([404, 429]);
});

test('200: submits with a wrong token do not count towards the limit of the lead', async () => {
  const { post, aHandle } = setUpSubmit();
  const handle = await aHandle();
  for (let guess = 0; guess < 40; guess++) await post({ ...handle, update_token: 'guess', data: {} });
  expect((await post({ ...handle, data: {} })).status).toBe(200);
});

test('429: submits without a handle but with the same Idempotency-Key create one lead, and count towards its limit', async () => {
  const { post, stored } = setUpSubmit();
  const key = { 'idempotency-key': randomUUID() };
  const statuses: number[] = [];
  for (let time = 0; time < 31; time++) statuses.push((await post({ data: {} }, key)).status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  expect(stored.all()).toHaveLength(1);
});
