import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import {
  type Bucket,
  bucketAt,
  bucketsBetween,
  GRANULARITIES,
  type Granularity,
  weekHourAt,
} from '../../../../shared/analytics/queries/buckets.ts';
import { instantText, offsetsBetween } from '../../../../shared/platform/time-zone.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

test.each(GRANULARITIES)('an empty range has no buckets with the granularity %s', (granularity) => {
  for (const ms of [Date.UTC(2026, 4, 31), Date.UTC(2026, 4, 31, 10, 7)])
    expect(bucketsBetween({ sinceMs: ms, untilMs: ms }, 'Europe/Berlin', granularity)).toEqual([]);
});

test('two years with a leap day have 731 day buckets', () => {
  const bounds = { sinceMs: Date.UTC(2023, 5, 1), untilMs: Date.UTC(2025, 5, 1) };
  expect(bucketsBetween(bounds, 'UTC', 'day')).toHaveLength(731);
});

const ZONES = Intl.supportedValuesOf('timeZone');
const CHANGING = ZONES.filter((zone) => offsetsBetween(Date.UTC(2026, 0), Date.UTC(2027, 0), zone).length > 1);
const DAYS_MAX = { hour: 3, day: 40, week: 120 } as const;

type Case = { zone: string; granularity: Granularity; sinceMs: number; untilMs: number };

/**
 * If `atChange` is true and the zone has a clock change within 400 days, the range begins up to two days before it.
 * No range begins before 2012. Since then, all UTC offsets are multiples of 15 minutes, as `expectedBuckets` requires.
 */
const someCase: fc.Arbitrary<Case> = fc
  .record({
    zone: fc.oneof(fc.constantFrom(...ZONES), fc.constantFrom(...CHANGING)),
    granularity: fc.constantFrom(...GRANULARITIES),
    anywhereMs: fc.integer({ min: Date.UTC(2012, 1), max: Date.UTC(2036, 0) }),
    atChange: fc.boolean(),
    beforeMs: fc.integer({ min: 0, max: 2 * DAY_MS }),
    share: fc.double({ min: 0.001, max: 1, noNaN: true }),
  })
  .map(({ zone, granularity, anywhereMs, atChange, beforeMs, share }) => {
    const change = atChange ? offsetsBetween(anywhereMs, anywhereMs + 400 * DAY_MS, zone)[1]?.fromMs : undefined;
    const sinceMs = change === undefined ? anywhereMs : change - beforeMs;
    return { zone, granularity, sinceMs, untilMs: sinceMs + Math.ceil(share * DAYS_MAX[granularity] * DAY_MS) };
  });

const KEYS: Record<Granularity, (time: DateTime) => string> = {
  hour: (time) => time.toFormat('yyyy-MM-dd HH ZZ'),
  day: (time) => time.toFormat('yyyy-MM-dd'),
  week: (time) => time.toFormat('kkkk WW'),
};
/** Every bucket is at least this long, even if a clock change shortens it. */
const AT_LEAST_MS = { hour: 0, day: 20 * HOUR_MS, week: 6 * DAY_MS } as const;

/** Computes the buckets with luxon, in steps of a quarter of an hour. */
function expectedBuckets({ zone, granularity, sinceMs, untilMs }: Case): Bucket[] {
  const at = (ms: number) => DateTime.fromMillis(ms, { zone });
  const key = (ms: number) => KEYS[granularity](at(ms));
  const quarter = Math.floor(sinceMs / QUARTER_MS) * QUARTER_MS;
  let startMs = quarter;
  while (key(startMs - QUARTER_MS) === key(quarter)) startMs -= QUARTER_MS;
  const buckets: Bucket[] = [];
  while (startMs < untilMs) {
    buckets.push({ startMs, offsetMs: at(startMs).offset * MINUTE_MS });
    const current = key(startMs);
    startMs += AT_LEAST_MS[granularity];
    while (key(startMs) === current) startMs += QUARTER_MS;
  }
  return buckets;
}

test('buckets equal those that are computed with luxon, in any zone and around any clock change', () => {
  fc.assert(
    fc.property(someCase, (given) => {
      expect(bucketsBetween(given, given.zone, given.granularity)).toEqual(expectedBuckets(given));
    }),
    { numRuns: 1_500 },
  );
}, 120_000);

test('in any zone, the text of an instant since 1975 equals the text that luxon returns', () => {
  const someMs = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2036, 0) });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), someMs, (zone, ms) => {
      const expected = DateTime.fromMillis(ms, { zone }).toISO({ suppressMilliseconds: true });
      const offsetMs = offsetsBetween(ms, ms, zone)[0]?.offsetMs ?? Number.NaN;
      expect(instantText(ms, offsetMs)).toBe(expected?.replace('Z', '+00:00'));
    }),
    { numRuns: 1_000 },
  );
});

test('if a UTC offset has seconds, the text of an instant omits them in the offset and in the local time', () => {
  const [{ fromMs, offsetMs } = { fromMs: 0, offsetMs: 0 }] = offsetsBetween(Date.UTC(1890, 0), 0, 'Europe/Berlin');
  expect(offsetMs).toBe(53 * MINUTE_MS + 28_000);
  expect(instantText(fromMs, offsetMs)).toBe('1890-01-01T00:53:00+00:53');
});

test('bucketAt returns the last bucket that starts at or before the instant, or else the first bucket', () => {
  const buckets = [10, 20, 30].map((startMs) => ({ startMs, offsetMs: 0 }));
  expect([5, 10, 19, 20, 29, 30, 99].map((ms) => bucketAt(ms, buckets))).toEqual([0, 0, 0, 1, 1, 2, 2]);
});

test('in any zone, weekHourAt returns the hours since Sunday 00:00 by the local clock, as luxon computes them', () => {
  fc.assert(
    fc.property(someCase, fc.nat(), ({ zone, sinceMs, untilMs }, at) => {
      const ms = Math.floor((sinceMs + (at % (untilMs - sinceMs))) / QUARTER_MS) * QUARTER_MS;
      const clock = DateTime.fromMillis(ms, { zone });
      const cell = weekHourAt(ms, offsetsBetween(sinceMs - QUARTER_MS, untilMs, zone));
      expect(cell).toBe((clock.weekday % 7) * 24 + clock.hour);
    }),
    { numRuns: 1_000 },
  );
});
