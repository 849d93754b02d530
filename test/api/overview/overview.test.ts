import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../functions/analytics/overview/handler.ts';
import { overview } from '../../../functions/analytics/overview/operation.ts';
import type { Fact } from '../../../shared/analytics/facts/fact.ts';
import type { Organization } from '../../../shared/directory/organization.ts';
import {
  addFresh,
  aFact,
  DAY_MS,
  expectedOverview,
  MAY_31,
  memoryAnalytics,
  someEvent,
  someFilters,
} from '../../support/analytics.ts';
import { caller } from '../../support/http.ts';
import { anOrganization } from '../../support/members.ts';

const HOUR_MS = 3_600_000;

async function setUp(facts: readonly Fact[] = [], now = MAY_31 + 10 * HOUR_MS, timezone = 'UTC') {
  const organization = anOrganization();
  const { orgId } = organization;
  const funnelId = randomUUID();
  const stores = memoryAnalytics();
  for (const fact of facts) await addFresh(stores.fresh, funnelId, [fact]);
  const reads: string[] = [];
  const known: Organization = { id: orgId, name: 'Example', timezone, limits: {} };
  const handler = createHandler({
    ...stores,
    fresh: {
      read: (id) => {
        reads.push(id);
        return stores.fresh.read(id);
      },
    },
    gate: organization.gate,
    organizations: {
      find: async (id) => (id === orgId ? known : undefined),
      ownsFunnel: async (org, funnel) => org === orgId && funnel === funnelId,
    },
    clock: { now: () => now },
  });
  const send = caller(overview, handler);
  const get = (query: Record<string, string | string[]> = {}, path: Record<string, string> = {}) =>
    send({ path: { orgId, funnelId, ...path }, query, headers: organization.as('member') });
  const totals = async (query: Record<string, string>) => {
    const { status, body } = await get(query);
    expect(status).toBe(200);
    return (body as { devices: { total: number }[] }).devices.reduce((sum, { total }) => sum + total, 0);
  };
  return { ...organization, get, send, totals, reads, funnelId };
}

describe('200', () => {
  test('counts starts, completions and their rate, by device and together', async () => {
    const { get } = await setUp([
      aFact({ sessionKey: 1n, deviceType: 'mobile', started: true, completed: true }),
      aFact({ sessionKey: 2n, deviceType: 'mobile', started: true }),
      aFact({ sessionKey: 3n, deviceType: 'mobile' }),
      aFact({ sessionKey: 4n, deviceType: 'desktop', started: true }),
      aFact({ sessionKey: 4n, deviceType: 'desktop', started: true }),
    ]);
    expect(await get()).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'private, no-cache' },
      body: {
        overview: { totalStarts: 3, totalCompletions: 1, conversionRate: 33.33 },
        devices: [
          { deviceType: 'mobile', total: 3, starts: 2, completions: 1 },
          { deviceType: 'tablet', total: 0, starts: 0, completions: 0 },
          { deviceType: 'desktop', total: 1, starts: 1, completions: 0 },
        ],
      },
    });
  });

  test('a funnel without sessions has zeros for every range', async () => {
    const { get } = await setUp();
    for (const range of ['today', 'yesterday', '7d', '30d', '90d', 'all'])
      expect((await get({ range })).body).toEqual(expectedOverview([], { sinceMs: 0, untilMs: 0 }));
  });

  test('every filter and their combinations, exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someEvent, { maxLength: 15 }), someFilters, async (events, filters) => {
        const { get } = await setUp(events, MAY_31 + 2 * DAY_MS);
        const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
        const expected = expectedOverview(events, { sinceMs: 0, untilMs: MAY_31 + 2 * DAY_MS, filters });
        expect((await get({ ...query, range: 'all' })).body).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test('a byte order mark before a filter is no part of it', async () => {
    const { totals } = await setUp([aFact({ utmSource: 'news' })]);
    expect(await totals({ utmSource: '\ufeffnews' })).toBe(1);
  });

  test.each([
    ['search.example', 1],
    ['WWW.Search.Example', 1],
    ['https://www.search.example/a?b=c', 1],
    ['direct', 1],
    ['earch.example', 0],
    ['no host at all', 0],
    ['%', 0],
  ])('the referrer %s is that host (%i session)', async (referrer, sessions) => {
    const { totals } = await setUp([aFact({ referrer: 'search.example' }), aFact({ sessionKey: 2n })]);
    expect(await totals({ referrer })).toBe(sessions);
  });

  test('days are the organization’s, unless the query names a time zone', async () => {
    // 22:30 UTC on 30 May: in Berlin it is the 31st already.
    const { totals } = await setUp([aFact({ timeMs: MAY_31 - 1.5 * HOUR_MS })], undefined, 'Europe/Berlin');
    expect(await totals({ range: 'today' })).toBe(1);
    expect(await totals({ range: 'yesterday' })).toBe(0);
    expect(await totals({ range: 'today', timezone: 'UTC' })).toBe(0);
    expect(await totals({ range: 'yesterday', timezone: 'UTC' })).toBe(1);
    expect(await totals({ range: 'custom', since: '2026-05-31', until: '2026-05-31' })).toBe(1);
    expect(await totals({ range: 'custom', since: '2026-05-30', until: '2026-05-30' })).toBe(0);
    expect(await totals({ range: 'custom', since: '2026-05-30T22:30:00Z', until: '2026-05-30T22:30:01Z' })).toBe(1);
    expect(await totals({ range: 'custom', since: '2026-05-30T22:00:00Z', until: '2026-05-30T22:30:00Z' })).toBe(0);
  });

  test('30 days are the default, and what is ahead of now is not counted yet', async () => {
    const now = MAY_31 + 10 * HOUR_MS;
    const { totals } = await setUp([
      aFact({ sessionKey: 1n, timeMs: MAY_31 - 29 * DAY_MS }),
      aFact({ sessionKey: 2n, timeMs: MAY_31 - 29 * DAY_MS - 1 }),
      aFact({ sessionKey: 3n, timeMs: now + 60_000 }),
    ]);
    expect(await totals({})).toBe(1);
    expect(await totals({ range: 'all' })).toBe(2);
  });

  test('granularity and unknown names are ignored', async () => {
    const { totals } = await setUp([aFact()]);
    expect(await totals({ granularity: 'hour', surprise: 'x' })).toBe(1);
  });
});

describe('400', () => {
  test.each<[string, Record<string, string | string[]>]>([
    ['range', { range: '14d' }],
    ['range', { range: '' }],
    ['range', { range: ['7d', '30d'] }],
    ['since', { range: 'custom', until: '2026-05-01' }],
    ['until', { range: 'custom', since: '2026-05-01' }],
    ['until', { range: 'custom', since: '2026-05-02', until: '2026-05-01' }],
    ['until', { range: 'custom', since: '2020-05-02', until: '2026-05-01' }],
    ['since', { range: 'custom', since: 'soon', until: '2026-05-01' }],
    ['since', { since: '2026-05-01' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: '' }],
    ['timezone', { timezone: '+02:00' }],
    ['deviceType', { deviceType: 'phone' }],
    ['browser', { browser: 'netscape' }],
    ['os', { os: 'beos' }],
    ['os', { os: ['ios', 'ios'] }],
    ['utmSource', { utmSource: 'a\0b' }],
    ...[
      'referrer',
      'utmSource',
      'utmMedium',
      'utmCampaign',
      'utmTerm',
      'utmContent',
      'deviceType',
      'browser',
      'os',
    ].map((name): [string, Record<string, string>] => [name, { [name]: '' }]),
  ])('names %s of %o and reads nothing', async (name, query) => {
    const { get, reads } = await setUp();
    const { status, body } = await get(query);
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
    expect((body as { error: { message: string } }).error.message).toMatch(new RegExp(`^query\\.${name}: [^;]+\\.$`));
    expect(reads).toEqual([]);
  });

  test('names funnelId when it is not a UUID', async () => {
    const { get } = await setUp();
    const answer = await get({}, { funnelId: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { error: { message: 'path.funnelId: must be a UUID.' } } });
  });

  test('comes before 404', async () => {
    const { get } = await setUp();
    expect((await get({ range: 'custom' }, { funnelId: randomUUID() })).status).toBe(400);
  });
});

test('401: without a valid token', async () => {
  const { send, orgId, funnelId, reads } = await setUp();
  expect((await send({ path: { orgId, funnelId } })).status).toBe(401);
  expect(reads).toEqual([]);
});

test('403: a stranger, whether or not the funnel exists', async () => {
  const { send, orgId, funnelId, as, reads } = await setUp();
  for (const id of [funnelId, randomUUID()])
    expect((await send({ path: { orgId, funnelId: id }, headers: as('stranger') })).status).toBe(403);
  expect(reads).toEqual([]);
});

test('404: a funnel that the organization does not have, and nothing is read', async () => {
  const { get, reads } = await setUp();
  const answer = await get({}, { funnelId: randomUUID() });
  expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect(reads).toEqual([]);
});

test('429: the 241st read of a user within a minute', async () => {
  const { get } = await setUp();
  for (let call = 0; call < 240; call++) await get();
  expect(await get()).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '240' } });
});

test('500: a missing file is no number, and no word of it leaks', async () => {
  const { gate, orgId, as } = anOrganization();
  const handler = createHandler({
    ...memoryAnalytics(),
    fresh: { read: () => Promise.reject(new Error('facts/abc.parquet is damaged')) },
    gate,
    organizations: { find: async () => undefined, ownsFunnel: async () => true },
    clock: { now: () => MAY_31 },
  });
  const answer = await caller(overview, handler)({ path: { orgId, funnelId: randomUUID() }, headers: as('member') });
  expect(answer).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  expect(answer.text).not.toContain('parquet');
});
