import { type OffsetInterval, offsetsBetween } from '../../platform/time-zone.ts';
import type { TimeBounds } from './filters.ts';

export const GRANULARITIES = ['hour', 'day', 'week'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long each lasts on a clock that never changes, and how far before the epoch one of them begins: Monday is 3 days before. */
const UNITS: Record<Granularity, { lengthMs: number; aheadMs: number }> = {
  hour: { lengthMs: HOUR_MS, aheadMs: 0 },
  day: { lengthMs: DAY_MS, aheadMs: 0 },
  week: { lengthMs: 7 * DAY_MS, aheadMs: 3 * DAY_MS },
};

/** More than a week, even one whose day was lived twice. */
const LOOK_BACK_MS = 9 * DAY_MS;

/** A part of time, until the next one starts. */
export type Bucket = { startMs: number; offsetMs: number };

/**
 * The buckets that a range touches, in order, each from its natural start: the first may start before the range does.
 * A day or week starts at the first instant of its first date. An hour is one of a zone's offset: where clocks are set
 * back it comes twice, and where they are set by half an hour it is cut.
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
    // A date that comes again with another offset is still the same day.
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

/** Which bucket an instant is in; one before all of them counts in the first. There must be a bucket. */
export function bucketAt(timeMs: number, buckets: readonly Bucket[]): number {
  return indexAt(timeMs, buckets, ({ startMs }) => startMs);
}

const WEEKDAYS = 7;
const HOURS = 24;
/** The cells of a week: (weekday, hour), Sunday first. */
export const WEEK_HOURS = WEEKDAYS * HOURS;

/** Which cell of the week the zone's clocks show at an instant, from its stretches of time. */
export function weekHourAt(timeMs: number, stretches: readonly OffsetInterval[]): number {
  const offsetMs = stretches[indexAt(timeMs, stretches, ({ fromMs }) => fromMs)]?.offsetMs ?? 0;
  const hours = Math.floor((timeMs + offsetMs) / HOUR_MS);
  // The epoch began on a Thursday, which is weekday 4.
  return (((hours + 4 * HOURS) % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS;
}

/** The last of what starts at or before an instant; the first where all starts later. */
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
