import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../../functions/analytics/overview/handler.ts';
import { overviewOperation } from '../../../../functions/analytics/overview/operation.ts';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import {
  aFact,
  DAY_MS,
  expectedOverview,
  MAY_31,
  someEvent,
  someFilters,
} from '../../../support/analytics/analytics.ts';
import { analyticsApi, asQuery } from '../../../support/analytics/analytics-api.ts';

const HOUR_MS = 3_600_000;

async function setUp(facts: readonly Fact[] = [], now?: number, timezone = 'UTC') {
  const api = await analyticsApi(overviewOperation, createHandler, {
    facts,
    timezone,
    ...(now === undefined ? {} : { now }),
  });
  const totals = async (query: Record<string, string>) => {
    const { status, body } = await api.get(query);
    expect(status).toBe(200);
    return (body as { devices: { total: number }[] }).devices.reduce((sum, { total }) => sum + total, 0);
  };
  return { ...api, totals };
}

describe('200: overview', () => {
  test('counts starts and completions by device and in total, and returns the conversion rate', async () => {
    const { get } = await setUp([
      aFact({ sessionKey: 1n, deviceType: 'mobile', started: true, completed: true }),
      aFact({ sessionKey: 2n, deviceType: 'mobile', started: true }),
      aFact({ sessionKey: 3n, deviceType: 'mobile' }),
      aFact({ sessionKey: 4n, deviceType: 'desktop', started: true }),
      aFact({ sessionKey: 4n, deviceType: 'desktop', started: true }),
    ]);
    expect(await get()).toMatchObject({
      status: 200,
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

  test('returns zeros for each named range of a funnel without sessions', async () => {
    const { get } = await setUp();
    for (const range of ['today', 'yesterday', '7d', '30d', '90d', 'all'])
      expect((await get({ range })).body).toEqual(expectedOverview([], { sinceMs: 0, untilMs: 0 }));
  });

  test('with any combination of filters, counts exactly the sessions that match all of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someEvent, { maxLength: 15 }), someFilters, async (events, filters) => {
        const { get } = await setUp(events, MAY_31 + 2 * DAY_MS);
        const expected = expectedOverview(events, { sinceMs: 0, untilMs: MAY_31 + 2 * DAY_MS, filters });
        expect((await get({ ...asQuery(filters), range: 'all' })).body).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test('ignores a byte order mark at the start of a filter value', async () => {
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
  ])('with the referrer filter %s, counts %i of the 2 sessions', async (referrer, sessions) => {
    const { totals } = await setUp([aFact({ referrer: 'search.example' }), aFact({ sessionKey: 2n })]);
    expect(await totals({ referrer })).toBe(sessions);
  });

  test('resolves dates in the time zone of the organization, or in the time zone of the query if one is given', async () => {
    // 22:30 UTC on 30 May is 31 May in Berlin.
    const { totals } = await setUp([aFact({ firstTimeMs: MAY_31 - 1.5 * HOUR_MS })], undefined, 'Europe/Berlin');
    expect(await totals({ range: 'today' })).toBe(1);
    expect(await totals({ range: 'yesterday' })).toBe(0);
    expect(await totals({ range: 'today', timezone: 'UTC' })).toBe(0);
    expect(await totals({ range: 'yesterday', timezone: 'UTC' })).toBe(1);
    expect(await totals({ range: 'custom', since: '2026-05-31', until: '2026-05-31' })).toBe(1);
    expect(await totals({ range: 'custom', since: '2026-05-30', until: '2026-05-30' })).toBe(0);
    expect(await totals({ range: 'custom', since: '2026-05-30T22:30:00Z', until: '2026-05-30T22:30:01Z' })).toBe(1);
    expect(await totals({ range: 'custom', since: '2026-05-30T22:00:00Z', until: '2026-05-30T22:30:00Z' })).toBe(0);
  });

  test('the default range is the last 30 days including today; this range and `all` omit sessions later than now', async () => {
    const now = MAY_31 + 10 * HOUR_MS;
    const { totals } = await setUp([
      aFact({ sessionKey: 1n, firstTimeMs: MAY_31 - 29 * DAY_MS }),
      aFact({ sessionKey: 2n, firstTimeMs: MAY_31 - 29 * DAY_MS - 1 }),
      aFact({ sessionKey: 3n, firstTimeMs: now + 60_000 }),
    ]);
    expect(await totals({})).toBe(1);
    expect(await totals({ range: 'all' })).toBe(2);
  });
});
