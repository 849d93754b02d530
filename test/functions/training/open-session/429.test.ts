import { expect, test } from 'vitest';
import { createDynamoRateLimiter } from '../../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { NOON } from '../../../support/training/calls.ts';
import { consumeSessions, setUpSessions } from '../../../support/training/sessions.ts';

useDynamo();

const HALF_A_DAY = '43200';

test('429: does not open the 201st session of an organization on a UTC day, and sends no request to the provider', async () => {
  const { open, limiter, orgId, requestedAgents, stored, countedSessions } = await setUpSessions();
  await consumeSessions(limiter, orgId, 199);
  expect((await open()).status).toBe(201);
  expect(await open()).toMatchObject({
    status: 429,
    headers: {
      'retry-after': HALF_A_DAY,
      'ratelimit-limit': '200',
      'ratelimit-remaining': '0',
      'ratelimit-reset': HALF_A_DAY,
      'ratelimit-policy': '"training-sessions";q=200;w=86400',
    },
    body: { error: { code: 'rate_limited' } },
  });
  expect([requestedAgents.length, (await stored()).calls.length, await countedSessions()]).toEqual([1, 1, 200]);
});

test('429: an organization can have its own limit, including 0', async () => {
  const two = await setUpSessions({ limits: { sessionsPerDay: 2 } });
  const statuses = [await two.open(), await two.open(), await two.open()].map(({ status }) => status);
  expect(statuses).toEqual([201, 201, 429]);
  const none = await setUpSessions({ limits: { sessionsPerDay: 0 } });
  expect((await none.open()).status).toBe(429);
  expect(none.requestedAgents).toEqual([]);
});

test('429: counts sessions of all members together, and those of other organizations separately', async () => {
  const [world, other] = [
    await setUpSessions({ limits: { sessionsPerDay: 2 } }),
    await setUpSessions({ limits: { sessionsPerDay: 2 } }),
  ];
  const { open, ids, as } = world;
  expect((await open(ids, as('member'))).status).toBe(201);
  expect((await open(ids, as('admin'))).status).toBe(201);
  expect((await open(ids, as('owner'))).status).toBe(429);
  expect((await other.open()).status).toBe(201);
});

test('429: sessions are counted from 0 again at midnight UTC', async () => {
  const { open, clock } = await setUpSessions({ limits: { sessionsPerDay: 1 } });
  clock.ms = NOON + 12 * 3_600_000 - 1_500;
  expect((await open()).status).toBe(201);
  expect(await open()).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
  clock.ms += 1_500;
  expect((await open()).status).toBe(201);
});

test('429: concurrent requests open exactly as many sessions as the limit allows', async () => {
  const { open, ids, as, requestedAgents, stored, countedSessions } = await setUpSessions({
    limits: { sessionsPerDay: 7 },
  });
  const people = ['member', 'admin', 'owner'] as const;
  const responses = await Promise.all(people.flatMap((who) => Array.from({ length: 10 }, () => open(ids, as(who)))));
  const opened = responses.filter(({ status }) => status === 201);
  expect([opened.length, responses.filter(({ status }) => status === 429).length]).toEqual([7, 23]);
  const callIds = opened.map(({ body }) => (body as { trainingCallId: string }).trainingCallId);
  const { calls, lookups } = await stored();
  expect(calls.map(({ id }) => id).sort()).toEqual(callIds.sort());
  expect(lookups.map(({ callId }) => callId).sort()).toEqual(callIds);
  expect([requestedAgents.length, await countedSessions()]).toEqual([7, 7]);
});

test('404: an unknown case takes precedence over the daily limit', async () => {
  const { open, ids } = await setUpSessions({ limits: { sessionsPerDay: 0 } });
  expect((await open({ ...ids, caseId: ids.personaId })).status).toBe(404);
});

test('429: rejects the 11th request of a user within a minute, before the body is validated', async () => {
  const { open, ids, as, requestedAgents } = await setUpSessions();
  for (let call = 0; call < 10; call++) expect((await open('{')).status).toBe(400);
  expect(await open('{')).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '10', 'retry-after': '42' } });
  expect((await open()).status).toBe(429);
  expect(requestedAgents).toEqual([]);
  expect((await open(ids, as('admin'))).status).toBe(201);
});

test('503: opens no session if sessions cannot be counted', async () => {
  const clock = { now: () => NOON };
  const counter = { ...createDynamoRateLimiter({ clock }) };
  const limiter: typeof counter = {
    consume: async (window, log, units) => {
      const table = process.env.LIMITS_TABLE;
      process.env.LIMITS_TABLE = 'elsewhere';
      return counter.consume(window, log, units).finally(() => {
        process.env.LIMITS_TABLE = table;
      });
    },
  };
  const { open, requestedAgents, stored } = await setUpSessions({ ports: { limiter } });
  expect(await open()).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { error: { code: 'service_unavailable' } },
  });
  expect(requestedAgents).toEqual([]);
  expect((await stored()).calls).toEqual([]);
});
