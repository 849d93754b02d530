import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../../functions/analytics/timeseries/handler.ts';
import { timeseriesOperation } from '../../../../functions/analytics/timeseries/operation.ts';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import type { Timeseries } from '../../../../shared/analytics/queries/timeseries.ts';
import {
  aFact,
  DAY_MS,
  expectedOverview,
  MAY_31,
  someEvent,
  someFilters,
} from '../../../support/analytics/analytics.ts';
import { analyticsApi, asQuery, type Query, TEN_O_CLOCK } from '../../../support/analytics/analytics-api.ts';

const HOUR_MS = 3_600_000;

async function setUp(facts: readonly Fact[] = [], given: { now?: number; timezone?: string } = {}) {
  const api = await analyticsApi(timeseriesOperation, createHandler, { facts, ...given });
  const series = async (query: Query) => {
    const { status, body } = await api.get(query);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as Timeseries;
  };
  return { ...api, series };
}

/** Returns a fact of a separate, started session for each time. */
const startedAt = (...times: string[]) =>
  times.map((time, at) => aFact({ sessionKey: BigInt(at), firstTimeMs: Date.parse(time), started: true }));

describe('200: timeseries', () => {
  test('returns starts, completions and the conversion rate of each bucket, and zeros for empty buckets', async () => {
    const { series } = await setUp([
      aFact({ sessionKey: 1n, firstTimeMs: MAY_31 - DAY_MS, started: true, completed: true }),
      aFact({ sessionKey: 2n, firstTimeMs: MAY_31 - DAY_MS + 1, started: true }),
      aFact({ sessionKey: 3n, firstTimeMs: MAY_31 - 1, started: true }),
      aFact({ sessionKey: 4n, firstTimeMs: MAY_31 - 3 * DAY_MS }),
    ]);
    const query = { range: 'custom', since: '2026-05-28', until: '2026-05-31', granularity: 'day' };
    expect(await series(query)).toEqual({
      granularity: 'day',
      since: '2026-05-28T00:00:00+00:00',
      until: '2026-06-01T00:00:00+00:00',
      points: [
        { bucket: '2026-05-28T00:00:00+00:00', starts: 0, completions: 0, conversionRate: 0 },
        { bucket: '2026-05-29T00:00:00+00:00', starts: 0, completions: 0, conversionRate: 0 },
        { bucket: '2026-05-30T00:00:00+00:00', starts: 3, completions: 1, conversionRate: 33.33 },
        { bucket: '2026-05-31T00:00:00+00:00', starts: 0, completions: 0, conversionRate: 0 },
      ],
    });
  });

  test('counts a completion in the bucket of the session’s first event, even if the completion happened later', async () => {
    const { series } = await setUp([
      aFact({ firstTimeMs: MAY_31 - 5 * DAY_MS }),
      aFact({ firstTimeMs: MAY_31, started: true, completed: true }),
    ]);
    const { points } = await series({ range: '7d' });
    expect(points.map(({ completions }) => completions)).toEqual([0, 1, 0, 0, 0, 0, 0]);
  });

  test.each<[Query, string, number]>([
    [{ range: 'today' }, 'hour', 10],
    [{ range: 'yesterday' }, 'hour', 24],
    [{ range: '7d' }, 'day', 7],
    [{}, 'day', 30],
    [{ range: '90d' }, 'day', 90],
    [{ range: 'all' }, 'hour', 10],
    [{ range: 'custom', since: '2026-05-30', until: '2026-05-31' }, 'hour', 48],
    [{ range: 'custom', since: '2026-05-30T00:00:00Z', until: '2026-06-01T00:00:00.001Z' }, 'day', 3],
    [{ range: 'custom', since: '2026-10-24', until: '2026-10-25', timezone: 'Europe/Berlin' }, 'hour', 49],
    [{ range: 'custom', since: '2026-03-28', until: '2026-03-29', timezone: 'Europe/Berlin' }, 'hour', 47],
    [{ range: '7d', granularity: 'hour' }, 'hour', 154],
    [{ range: '30d', granularity: 'week' }, 'week', 5],
    [{ range: 'today', granularity: 'week' }, 'week', 1],
    [
      { range: 'custom', since: '2026-10-01', until: '2026-10-31', timezone: 'Europe/Berlin', granularity: 'hour' },
      'hour',
      745,
    ],
    [{ range: 'custom', since: '2023-06-01', until: '2025-05-31' }, 'day', 731],
    [{ range: 'custom', since: '2023-06-01', until: '2025-05-31', granularity: 'week' }, 'week', 105],
  ])('for the query %o, the granularity is %s and there are %i buckets', async (query, granularity, buckets) => {
    const { series } = await setUp();
    const { points, ...result } = await series(query);
    expect([result.granularity, points.length]).toEqual([granularity, buckets]);
  });

  test('the range "today" ends now: no bucket is in the future, and later sessions are not counted', async () => {
    const { series } = await setUp(startedAt('2026-05-31T09:59:59Z', '2026-05-31T10:00:00Z', '2026-05-31T10:00:01Z'));
    const { until, points } = await series({ range: 'today' });
    expect(until).toBe('2026-05-31T10:00:00+00:00');
    expect(points.at(-1)).toMatchObject({ bucket: '2026-05-31T09:00:00+00:00', starts: 1 });
  });

  test('a custom range may end in the future', async () => {
    const { series } = await setUp(startedAt('2026-05-31T10:00:01Z'));
    const { points } = await series({ range: 'custom', since: '2026-05-31', until: '2026-06-02' });
    expect(points.map(({ starts }) => starts)).toEqual([1, 0, 0]);
  });

  test('at the first instant of a day, the range "today" has no bucket', async () => {
    const { series } = await setUp(startedAt('2026-05-31T00:00:00Z'), { now: MAY_31 });
    expect(await series({ range: 'today' })).toMatchObject({ since: '2026-05-31T00:00:00+00:00', points: [] });
  });

  test('the range "all" starts on the day of the first session, even if the filter excludes this session', async () => {
    const { series } = await setUp(startedAt('2026-05-24T22:30:00Z'), { timezone: 'Europe/Berlin' });
    const { since, points } = await series({ range: 'all', deviceType: 'tablet' });
    expect([since, points.length]).toEqual(['2026-05-25T00:00:00+02:00', 7]);
    expect(points.every(({ starts }) => starts === 0)).toBe(true);
  });

  test('the first week starts on its Monday, even if the range starts later, and counts only sessions of the range', async () => {
    const { series } = await setUp(startedAt('2026-05-27T09:59:59Z', '2026-05-27T10:00:00Z', '2026-06-01T00:00:00Z'));
    const { since, points } = await series({
      range: 'custom',
      since: '2026-05-27T10:00:00Z',
      until: '2026-06-01T00:00:01Z',
      granularity: 'week',
    });
    expect(since).toBe('2026-05-27T10:00:00+00:00');
    expect(points.map(({ bucket, starts }) => [bucket.slice(0, 10), starts])).toEqual([
      ['2026-05-25', 1],
      ['2026-06-01', 1],
    ]);
  });

  test.each([
    [
      'Europe/Berlin',
      '2026-10-25',
      ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
      ['02:00:00+02:00', '02:00:00+01:00'],
    ],
    [
      'Australia/Lord_Howe',
      '2026-04-05',
      ['2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z'],
      ['01:00:00+11:00', '01:30:00+10:30'],
    ],
    [
      'Asia/Kathmandu',
      '2026-05-31',
      ['2026-05-31T00:14:59.999Z', '2026-05-31T00:15:00Z'],
      ['05:00:00+05:45', '06:00:00+05:45'],
    ],
    [
      'Asia/Beirut',
      '2026-03-29',
      ['2026-03-28T22:00:00Z', '2026-03-28T23:00:00Z'],
      ['01:00:00+03:00', '02:00:00+03:00'],
    ],
  ])('in %s on %s, counts sessions in the hours of the local clock', async (timezone, date, times, hours) => {
    const { series } = await setUp(startedAt(...times), { timezone });
    const { points } = await series({ range: 'custom', since: date, until: date });
    const met = points.filter(({ starts }) => starts > 0).map(({ bucket, starts }) => [bucket, starts]);
    expect(met).toEqual(hours.map((hour) => [`${date}T${hour}`, 1]));
  });

  test('for any filters, the buckets of a range add up to the starts and completions of the matching sessions', async () => {
    const someRange = fc.constantFrom<Query>(
      { range: 'all' },
      { range: '7d' },
      { range: '30d', granularity: 'week' },
      {
        range: 'custom',
        since: '2026-05-30T23:59:59.999Z',
        until: '2026-05-31T00:00:00.002Z',
        timezone: 'Asia/Kathmandu',
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(someEvent, { maxLength: 12 }),
        someFilters,
        someRange,
        async (events, filters, range) => {
          const { series } = await setUp(events, { now: MAY_31 + 2 * DAY_MS });
          const { since, until, points } = await series({ ...range, ...asQuery(filters) });
          const bounds = { sinceMs: Date.parse(since), untilMs: Date.parse(until) };
          const { overview } = expectedOverview(events, { ...bounds, filters });
          const sum = (of: 'starts' | 'completions') => points.reduce((total, point) => total + point[of], 0);
          expect([sum('starts'), sum('completions')]).toEqual([overview.totalStarts, overview.totalCompletions]);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('400: timeseries', () => {
  const custom = { range: 'custom', granularity: 'hour' };
  test.each<Query>([
    { granularity: 'minute' },
    { granularity: '' },
    { granularity: 'Hour' },
    { granularity: 'hour ' },
    { granularity: 'day,week' },
    { granularity: 'month' },
    { granularity: '1d' },
    { granularity: ['day', 'day'] },
    { range: '90d', granularity: 'hour' },
    { ...custom, since: '2026-05-01', until: '2026-06-01' },
    { ...custom, since: '2026-05-01T00:00:00Z', until: '2026-06-01T00:00:00.001Z' },
    { ...custom, since: '2026-10-01', until: '2026-11-01', timezone: 'Europe/Berlin' },
    {
      ...custom,
      since: '2026-10-01T00:00:00+02:00',
      until: '2026-11-01T00:00:00.001+01:00',
      timezone: 'Europe/Berlin',
    },
    { ...custom, since: '2026-03-01T00:00:00+01:00', until: '2026-04-01T01:00:00+02:00', timezone: 'Europe/Berlin' },
  ])('the message for the query %o names the parameter granularity, and no facts are read', async (query) => {
    const { get, reads } = await setUp();
    const { status, body } = await get(query);
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
    expect((body as { error: { message: string } }).error.message).toMatch(/^query\.granularity [^;]+\.$/);
    expect(reads).toEqual([]);
  });

  test('the granularity "hour" is rejected for the range "all" if this range is longer than 31 days', async () => {
    const query = { range: 'all', granularity: 'hour' };
    const first = (ms: number) => setUp([aFact({ firstTimeMs: ms })], { now: TEN_O_CLOCK });
    const { get: getShort } = await first(MAY_31 - 30 * DAY_MS);
    expect((await getShort(query)).status).toBe(200);
    const { get } = await first(MAY_31 - 31 * DAY_MS - HOUR_MS);
    expect(await get(query)).toMatchObject({
      status: 400,
      body: { error: { message: 'query.granularity can be hour only for a range of at most 31 days.' } },
    });
  });
});
