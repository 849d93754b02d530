import * as z from 'zod/mini';
import { docText, withDocs } from '../../http/schema-docs.ts';
import { daysLater, instantText, offsetsBetween } from '../../platform/time-zone.ts';
import { type Counts, QUARTER_HOUR_MS } from '../facts/counts.ts';
import type { TimeBounds } from '../facts/criteria.ts';
import { bucketAt, bucketsBetween, GRANULARITIES, type Granularity } from './buckets.ts';
import { conversionRate, countSchema, percentageSchema } from './conversion-rate.ts';
import { assertGranularityFitsRange } from './range.ts';
import { type AnalyticsCriteria, resolveCriteria } from './resolve-criteria.ts';
import { countSessions, type SnapshotPorts, takeSnapshot } from './snapshot.ts';

/** For ranges of up to this number of days, the default granularity is `hour`. */
const DAYS_BY_HOUR = 2;

export const Timeseries = withDocs(
  z.object({
    granularity: z.enum(GRANULARITIES),
    since: withDocs(z.string(), docText('RFC 3339 instant with the zone’s offset, inclusive.')),
    until: withDocs(
      z.string(),
      docText('RFC 3339 instant with the zone’s offset, exclusive. The current time if the range ends now.'),
    ),
    points: withDocs(
      z.array(
        z.object({
          bucket: z.string(),
          starts: countSchema,
          completions: countSchema,
          conversionRate: percentageSchema,
        }),
      ),
      docText(
        'Every bucket from `since` to `until`, identified by the RFC 3339 instant of its start with the zone’s',
        'offset. The first bucket may start before `since`, but counts only sessions of the range. Weeks start on',
        'Monday. Where clocks are set back, an hour occurs twice.',
      ),
    ),
  }),
  { id: 'AnalyticsTimeseries' },
);
export type Timeseries = z.infer<typeof Timeseries>;

/**
 * Counts starts and completions by the time bucket of a session's first event.
 *
 * @throws HttpError 400 when the range is too long for the granularity `hour`
 */
export async function readTimeseries(
  ports: SnapshotPorts,
  funnelId: string,
  criteria: AnalyticsCriteria,
): Promise<Timeseries> {
  const { timeZone } = criteria.range;
  const snapshot = await takeSnapshot(ports, funnelId);
  const resolved = resolveCriteria(criteria, snapshot.firstSessionMs);
  const { sinceMs, untilMs } = resolved;
  const granularity = criteria.granularity ?? usualGranularity(resolved, timeZone);
  assertGranularityFitsRange(granularity, resolved, timeZone);
  const { quarterHour: counts } = await countSessions(ports.factReader, snapshot, resolved, ['quarterHour']);
  const text = (timeMs: number) => instantText(timeMs, offsetsBetween(timeMs, timeMs, timeZone)[0]?.offsetMs ?? 0);
  return {
    granularity,
    since: text(sinceMs),
    until: text(untilMs),
    points: pointsOf(resolved, timeZone, granularity, counts),
  };
}

const usualGranularity = ({ sinceMs, untilMs }: TimeBounds, timeZone: string): Granularity =>
  untilMs <= daysLater(sinceMs, DAYS_BY_HOUR, timeZone) ? 'hour' : 'day';

function pointsOf(
  bounds: TimeBounds,
  timeZone: string,
  granularity: Granularity,
  counts: ReadonlyMap<string, Counts>,
): Timeseries['points'] {
  const buckets = bucketsBetween(bounds, timeZone, granularity);
  const points = buckets.map(({ startMs, offsetMs }) => ({
    bucket: instantText(startMs, offsetMs),
    starts: 0,
    completions: 0,
  }));
  for (const [quarterHour, { starts, completions }] of counts) {
    const point = points[bucketAt(Number(quarterHour) * QUARTER_HOUR_MS, buckets)];
    if (point === undefined) continue;
    point.starts += starts;
    point.completions += completions;
  }
  return points.map((point) => ({ ...point, conversionRate: conversionRate(point.starts, point.completions) }));
}
