import { type OffsetInterval, offsetsBetween } from '../../platform/time-zone.ts';
import type { TimeBounds } from '../facts/criteria.ts';

export const GRANULARITIES = ['hour', 'day', 'week'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * `lengthMs`: length of a unit without clock changes. `aheadMs`: time from the start of the unit that contains the
 * epoch to the epoch. For weeks, this is 3 days, because a week starts on Monday and the epoch was a Thursday.
 */
const UNITS: Record<Granularity, { lengthMs: number; aheadMs: number }> = {
  hour: { lengthMs: HOUR_MS, aheadMs: 0 },
  day: { lengthMs: DAY_MS, aheadMs: 0 },
  week: { lengthMs: 7 * DAY_MS, aheadMs: 3 * DAY_MS },
};

/**
 * The search for the start of the first bucket begins this long before the range. It is longer than any week, including
 * a week with a repeated day.
 */
const LOOK_BACK_MS = 9 * DAY_MS;

/** An interval that ends where the next bucket starts. */
export type Bucket = { startMs: number; offsetMs: number };

/**
 * The buckets that overlap a range, in order. The first bucket may start before the range. A day or week starts at the
 * first instant of its first date. A bucket of an hour never spans two UTC offsets: a repeated local hour has two
 * buckets, and where clocks change by half an hour, a bucket is shorter.
 */
export function bucketsBetween({ sinceMs, untilMs }: TimeBounds, timeZone: string, granularity: Granularity): Bucket[] {
  if (untilMs <= sinceMs) return [];
  const { lengthMs, aheadMs } = UNITS[granularity];
  const stretches = offsetsBetween(sinceMs - LOOK_BACK_MS, untilMs, timeZone);
  const buckets: Bucket[] = [];
  let next = Number.NEGATIVE_INFINITY;
  for (const [at, { fromMs, offsetMs }] of stretches.entries()) {
    const endMs = stretches[at + 1]?.fromMs ?? untilMs;
    const first = Math.floor((fromMs + offsetMs + aheadMs) / lengthMs);
    // If the UTC offset changes within a day or week, no new bucket starts.
    let number = granularity === 'hour' ? first : Math.max(first, next);
    for (; ; number++) {
      const startMs = Math.max(fromMs, number * lengthMs - aheadMs - offsetMs);
      if (startMs >= endMs) break;
      buckets.push({ startMs, offsetMs });
    }
    next = number;
  }
  return buckets.slice(buckets.findLastIndex(({ startMs }) => startMs <= sinceMs));
}

/** The index of the bucket that contains an instant; earlier instants belong to the first bucket. */
export function bucketAt(timeMs: number, buckets: readonly Bucket[]): number {
  return indexAt(timeMs, buckets, ({ startMs }) => startMs);
}

const WEEKDAYS = 7;
const HOURS = 24;
/** Number of cells of a week. A cell is one hour of one weekday; the cells begin with Sunday. */
export const WEEK_HOURS = WEEKDAYS * HOURS;

/** The index of the cell that contains an instant, in local time. */
export function weekHourAt(timeMs: number, stretches: readonly OffsetInterval[]): number {
  const offsetMs = stretches[indexAt(timeMs, stretches, ({ fromMs }) => fromMs)]?.offsetMs ?? 0;
  const hours = Math.floor((timeMs + offsetMs) / HOUR_MS);
  // The epoch was a Thursday, weekday 4.
  return (((hours + 4 * HOURS) % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS;
}

/** The index of the last element that starts at or before an instant; 0 when all start later. */
function indexAt<T>(timeMs: number, sorted: readonly T[], startOf: (each: T) => number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const candidate = sorted[middle];
    if (candidate !== undefined && startOf(candidate) <= timeMs) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
