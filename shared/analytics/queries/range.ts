import * as z from 'zod/mini';
import { HttpError } from '../../http/errors.ts';
import { docText, withDocs } from '../../http/schema-docs.ts';
import {
  addDays,
  daysLater,
  instantMs,
  isTimeZone,
  localDate,
  parseLocalDate,
  startOfDay,
  yearsLater,
} from '../../platform/time-zone.ts';
import type { TimeBounds } from '../facts/criteria.ts';
import { GRANULARITIES, type Granularity } from './buckets.ts';

const YEARS_MAX = 2;
/** Maximum days of an hourly timeseries: 745 points if clocks are set back, and a few more in rare time zones. */
const DAYS_BY_HOUR_MAX = 31;

/**
 * A date in the years 1 to 9998. The years 0 and 9999 are excluded, because the response may contain times up to a week
 * before or after the range. RFC 3339 has only the years 0 to 9999.
 */
const DATE = /^(?!0000|9999)\d{4}-\d{2}-\d{2}$/;
/**
 * An RFC 3339 instant. Its offset may begin with a space, because a `+` that was not percent-encoded arrives as a
 * space.
 */
const INSTANT = /^(?!0000|9999)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+ -]\d{2}:\d{2})$/i;

export const rangeQuery = {
  range: withDocs(
    z._default(z.enum(['today', 'yesterday', '7d', '30d', '90d', 'all', 'custom']), '30d'),
    docText(
      '`7d` is today and the 6 days before it. `all` starts on the day of the first session. All ranges except',
      '`yesterday` and `custom` end now.',
    ),
  ),
  since: withDocs(
    z.optional(z.string()),
    docText('With `custom` only: a date (from its start) or an RFC 3339 instant. At most 2 years before `until`.'),
  ),
  until: withDocs(
    z.optional(z.string()),
    docText('With `custom` only: a date (the whole day is counted) or an RFC 3339 instant (exclusive).'),
  ),
  timezone: withDocs(
    z.optional(z.string().check(z.refine(isTimeZone, 'must be an IANA time zone name'))),
    docText('IANA name of the time zone in which days begin. Default: the organization’s time zone.'),
  ),
};

export const granularityQuery = {
  granularity: withDocs(
    z.optional(z.enum(GRANULARITIES)),
    docText(
      'Default: `hour` for a range of up to 2 days, else `day`. `hour` is allowed for a range of at most 31 days.',
    ),
  ),
};

export type RangeQuery = z.output<z.ZodMiniObject<typeof rangeQuery>> & { granularity?: Granularity | undefined };

/** The time range of a query. It starts at an instant, or on the day of the funnel's first session. */
export type Range = { since: number | 'first session'; untilMs: number; timeZone: string };

const DAYS_BEFORE_TODAY = { today: 0, '7d': 6, '30d': 29, '90d': 89 } as const;

/**
 * Resolves the time range of a query in `timeZone`.
 *
 * @throws HttpError 400 that names `since`, `until` or `granularity`
 */
export function resolveRange(query: RangeQuery, timeZone: string, nowMs: number): Range {
  const range = namedRange(query, timeZone, nowMs);
  const { since: sinceMs, untilMs } = range;
  if (sinceMs !== 'first session' && query.granularity)
    assertGranularityFitsRange(query.granularity, { sinceMs, untilMs }, timeZone);
  return range;
}

/** @throws HttpError 400 that names `granularity` when the range is too long for the granularity `hour` */
export function assertGranularityFitsRange(
  granularity: Granularity,
  { sinceMs, untilMs }: TimeBounds,
  timeZone: string,
): void {
  if (granularity !== 'hour' || untilMs <= daysLater(sinceMs, DAYS_BY_HOUR_MAX, timeZone)) return;
  refuse('granularity', `can be hour only for a range of at most ${DAYS_BY_HOUR_MAX} days`);
}

function namedRange(query: RangeQuery, timeZone: string, nowMs: number): Range {
  if (query.range === 'custom') return customRange(query, timeZone);
  for (const name of ['since', 'until'] as const)
    if (query[name] !== undefined) refuse(name, 'is allowed only with range=custom');
  const today = localDate(nowMs, timeZone);
  const dayStart = (daysAgo: number) => startOfDay(addDays(today, -daysAgo), timeZone);
  if (query.range === 'all') return { since: 'first session', untilMs: nowMs, timeZone };
  if (query.range === 'yesterday') return { since: dayStart(1), untilMs: dayStart(0), timeZone };
  return { since: dayStart(DAYS_BEFORE_TODAY[query.range]), untilMs: nowMs, timeZone };
}

/** @param firstSessionMs time of the funnel's first session, Infinity without sessions */
export function toTimeBounds(range: Range, firstSessionMs: number): TimeBounds {
  const { since, untilMs, timeZone } = range;
  if (since !== 'first session') return { sinceMs: since, untilMs };
  // The first session may be after `untilMs`, because a client's clock may have been ahead.
  const firstMs = Math.min(firstSessionMs, untilMs);
  return { sinceMs: startOfDay(localDate(firstMs, timeZone), timeZone), untilMs };
}

function customRange(query: RangeQuery, timeZone: string): Range {
  const sinceMs = instantOf('since', query.since, timeZone, 0);
  const untilMs = instantOf('until', query.until, timeZone, 1);
  if (untilMs <= sinceMs) refuse('until', 'must be after since');
  if (untilMs > yearsLater(sinceMs, YEARS_MAX, timeZone)) refuse('until', `must be within ${YEARS_MAX} years of since`);
  return { since: sinceMs, untilMs, timeZone };
}

/**
 * @param daysOn days that are added to a date: 1 for an end date, so that the range ends at the start of the next day
 */
function instantOf(name: 'since' | 'until', value: string | undefined, timeZone: string, daysOn: number): number {
  if (value === undefined) return refuse(name, 'is required with range=custom');
  try {
    if (DATE.test(value)) return startOfDay(addDays(parseLocalDate(value), daysOn), timeZone);
    // RFC 3339 allows any number of fractional digits. Temporal accepts only 9, so further digits are removed.
    if (INSTANT.test(value)) return instantMs(value.replace(' ', '+').replace(/(\.\d{9})\d+/, '$1'));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  return refuse(
    name,
    'must be a date (2026-05-31) or an RFC 3339 instant (2026-05-31T08:00:00Z) in the years 1 to 9998',
  );
}

function refuse(name: 'since' | 'until' | 'granularity', why: string): never {
  throw new HttpError(400, `query.${name} ${why}.`);
}
