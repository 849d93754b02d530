import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../../functions/analytics/acquisition/handler.ts';
import { acquisitionOperation } from '../../../../functions/analytics/acquisition/operation.ts';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import type { Acquisition } from '../../../../shared/analytics/queries/acquisition.ts';
import {
  aFact,
  DAY_MS,
  expectedOverview,
  MAY_31,
  someEvent,
  someFilters,
} from '../../../support/analytics/analytics.ts';
import { analyticsApi, asQuery, type Query } from '../../../support/analytics/analytics-api.ts';

async function setUp(facts: readonly Fact[] = [], given: { now?: number; timezone?: string } = {}) {
  const api = await analyticsApi(acquisitionOperation, createHandler, { facts, ...given });
  const read = async (query: Query = {}) => {
    const { status, body } = await api.get(query);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as Acquisition;
  };
  return { ...api, read };
}

/** Creates a fact of a separate session for each argument. */
const sessions = (...said: Partial<Fact>[]) => said.map((each, at) => aFact({ sessionKey: BigInt(at), ...each }));
const times = <T>(count: number, value: T): T[] => new Array<T>(count).fill(value);
const cells = ({ hours }: Acquisition) =>
  hours.filter((cell) => cell.sessions > 0).map(({ weekday, hour, sessions }) => [weekday, hour, sessions]);

describe('200: acquisition', () => {
  test('returns the number of sessions for each value of a dimension, highest first, and omits empty values', async () => {
    const { read } = await setUp(
      sessions(
        ...times(3, { browser: 'safari', os: 'ios', referrer: 'search.example' }),
        ...times(2, { browser: 'chrome', os: 'android', referrer: 'direct', utmSource: 'news', utmMedium: 'mail' }),
        { browser: 'other', os: 'other', referrer: 'direct', utmSource: 'ad', utmCampaign: 'spring', utmTerm: 'roof' },
        { browser: 'chrome', os: 'android', referrer: 'direct', utmContent: 'top' },
      ),
    );
    const { hours, ...lists } = await read();
    expect(lists).toEqual({
      browsers: [
        { browser: 'chrome', total: 3 },
        { browser: 'safari', total: 3 },
        { browser: 'other', total: 1 },
      ],
      oses: [
        { os: 'android', total: 3 },
        { os: 'ios', total: 3 },
        { os: 'other', total: 1 },
      ],
      referrers: [
        { referrer: 'direct', total: 4 },
        { referrer: 'search.example', total: 3 },
      ],
      utmSources: [
        { value: 'news', total: 2 },
        { value: 'ad', total: 1 },
      ],
      utmMediums: [{ value: 'mail', total: 2 }],
      utmCampaigns: [{ value: 'spring', total: 1 }],
      utmTerms: [{ value: 'roof', total: 1 }],
      utmContents: [{ value: 'top', total: 1 }],
    });
  });

  test('for a funnel without sessions, returns empty lists, and zero for each of the 168 hours of a week', async () => {
    const { read } = await setUp();
    for (const range of ['today', '30d', 'all']) {
      const { hours, ...lists } = await read({ range });
      expect(Object.values(lists)).toEqual(times(8, []));
      expect(hours).toEqual(
        Array.from({ length: 168 }, (_, cell) => ({ weekday: Math.floor(cell / 24), hour: cell % 24, sessions: 0 })),
      );
    }
  });

  test('returns only the 100 values of utm_source with the most sessions, and orders values with equal counts by code points', async () => {
    const names = Array.from({ length: 99 }, (_, at) => `v${String(at).padStart(2, '0')}`);
    const { read } = await setUp(
      sessions(...['！', '😀', 'z', 'Z', ...names, 'often', 'often'].toReversed().map((utmSource) => ({ utmSource }))),
    );
    const { utmSources } = await read();
    expect(utmSources).toHaveLength(100);
    expect(utmSources[0]).toEqual({ value: 'often', total: 2 });
    const listed = ['Z', ...names, 'z', '！', '😀'].slice(0, 99);
    expect(utmSources.slice(1).map(({ value }) => value)).toEqual(listed);
  });

  test('orders values with equal counts by code points, not by UTF-16 units', async () => {
    // U+FF01 sorts before U+1F600, although U+FF01 is greater than the first UTF-16 unit of U+1F600.
    const { read } = await setUp(sessions(...['😀', '！', 'é', 'z', 'a', 'A'].map((utmTerm) => ({ utmTerm }))));
    expect((await read()).utmTerms.map(({ value }) => value)).toEqual(['A', 'a', 'z', 'é', '！', '😀']);
  });

  test('a filter by a referrer returns only this referrer, with the same count as without the filter', async () => {
    const { read } = await setUp(sessions({ referrer: 'a.example', os: 'ios' }, { referrer: 'a.example' }, {}));
    const { referrers } = await read();
    for (const { referrer, total } of referrers)
      expect((await read({ referrer })).referrers).toEqual([{ referrer, total }]);
    expect((await read({ referrer: 'a.example', os: 'ios' })).browsers).toEqual([{ browser: 'chrome', total: 1 }]);
  });

  test.each([
    ['UTC', '2026-05-31T00:00:00Z', [0, 0]],
    ['UTC', '2026-05-30T23:59:59.999Z', [6, 23]],
    ['Europe/Berlin', '2026-05-30T22:30:00Z', [0, 0]],
    ['America/New_York', '2026-05-31T01:00:00Z', [6, 21]],
    ['Asia/Kathmandu', '2026-05-30T18:14:59Z', [6, 23]],
    ['Asia/Kathmandu', '2026-05-30T18:15:00Z', [0, 0]],
    ['Pacific/Chatham', '2026-05-30T11:15:00Z', [0, 0]],
    ['Australia/Lord_Howe', '2026-04-04T14:45:00Z', [0, 1]],
    ['Australia/Lord_Howe', '2026-04-04T15:15:00Z', [0, 1]],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', [0, 3]],
    ['Europe/Berlin', '2025-10-26T00:30:00Z', [0, 2]],
    ['Europe/Berlin', '2025-10-26T01:30:00Z', [0, 2]],
    ['Pacific/Apia', '2011-12-30T09:59:59Z', [4, 23]],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', [6, 0]],
  ])('in %s, counts a session at %s in the cell [weekday, hour] %o', async (timezone, time, [weekday, hour]) => {
    const timeMs = Date.parse(time);
    const { read } = await setUp([aFact({ firstTimeMs: timeMs })], { timezone, now: timeMs + DAY_MS });
    expect(cells(await read({ range: 'all' }))).toEqual([[weekday, hour, 1]]);
  });

  test('for any filters, hours, browsers, systems and referrers each add up to the number of matching sessions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someEvent, { maxLength: 12 }), someFilters, async (events, filters) => {
        const { read } = await setUp(events, { now: MAY_31 + 2 * DAY_MS, timezone: 'Asia/Kathmandu' });
        const { hours, browsers, oses, referrers } = await read({ range: 'all', ...asQuery(filters) });
        const { devices } = expectedOverview(events, { sinceMs: 0, untilMs: MAY_31 + 2 * DAY_MS, filters });
        const all = devices.reduce((sum, { total }) => sum + total, 0);
        for (const list of [browsers, oses, referrers])
          expect(list.reduce((sum, { total }) => sum + total, 0)).toBe(all);
        expect(hours.reduce((sum, cell) => sum + cell.sessions, 0)).toBe(all);
      }),
      { numRuns: 1_000 },
    );
  });
});
