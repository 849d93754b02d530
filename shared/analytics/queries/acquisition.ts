import * as z from 'zod/mini';
import { docText, withDocs } from '../../http/schema-docs.ts';
import { BROWSERS, OPERATING_SYSTEMS } from '../../platform/device.ts';
import { offsetsBetween } from '../../platform/time-zone.ts';
import { type Counts, QUARTER_HOUR_MS, TOP_VALUES_MAX } from '../facts/counts.ts';
import type { TimeBounds } from '../facts/criteria.ts';
import { compareUtf8 } from '../facts/fact.ts';
import { WEEK_HOURS, weekHourAt } from './buckets.ts';
import { countSchema } from './conversion-rate.ts';
import { type AnalyticsCriteria, resolveCriteria } from './resolve-criteria.ts';
import { countSessions, type SnapshotPorts, takeSnapshot } from './snapshot.ts';

const values = () => z.array(z.object({ value: z.string(), total: countSchema }));

export const Acquisition = withDocs(
  z.object({
    hours: withDocs(
      z
        .array(
          z.object({
            weekday: z.int().check(z.minimum(0), z.maximum(6)),
            hour: z.int().check(z.minimum(0), z.maximum(23)),
            sessions: countSchema,
          }),
        )
        .check(z.length(WEEK_HOURS)),
      docText('All 168 hours of a week in local time; weekday 0 is Sunday.'),
    ),
    browsers: z.array(z.object({ browser: z.enum(BROWSERS), total: countSchema })),
    oses: z.array(z.object({ os: z.enum(OPERATING_SYSTEMS), total: countSchema })),
    referrers: withDocs(
      z.array(z.object({ referrer: z.string(), total: countSchema })),
      docText('Hostnames without `www.`. `direct` means no referrer, or the page’s own host.'),
    ),
    utmSources: values(),
    utmMediums: values(),
    utmCampaigns: values(),
    utmTerms: values(),
    utmContents: values(),
  }),
  {
    id: 'AnalyticsAcquisition',
    description: docText(
      'Each list of values has at most 100 values: those with the most sessions, in descending order. Values with the',
      'same number of sessions are in the order of their code points. Values without sessions are omitted.',
    ),
  },
);
export type Acquisition = z.infer<typeof Acquisition>;

const GROUPINGS = [
  'quarterHour',
  'browser',
  'os',
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
] as const;

export async function readAcquisition(
  ports: SnapshotPorts,
  funnelId: string,
  criteria: AnalyticsCriteria,
): Promise<Acquisition> {
  const snapshot = await takeSnapshot(ports, funnelId);
  const resolved = resolveCriteria(criteria, snapshot.firstSessionMs);
  const counts = await countSessions(ports.factReader, snapshot, resolved, GROUPINGS);
  const values = (totals: Totals) => largest([...totals.keys()], totals).map(([value, total]) => ({ value, total }));
  return {
    hours: weekHours(resolved, criteria.range.timeZone, counts.quarterHour),
    browsers: largest(BROWSERS, counts.browser).map(([browser, total]) => ({ browser, total })),
    oses: largest(OPERATING_SYSTEMS, counts.os).map(([os, total]) => ({ os, total })),
    referrers: values(counts.referrer).map(({ value, total }) => ({ referrer: value, total })),
    utmSources: values(counts.utmSource),
    utmMediums: values(counts.utmMedium),
    utmCampaigns: values(counts.utmCampaign),
    utmTerms: values(counts.utmTerm),
    utmContents: values(counts.utmContent),
  };
}

type Totals = ReadonlyMap<string, Counts>;

function weekHours({ sinceMs, untilMs }: TimeBounds, timeZone: string, quarterHours: Totals): Acquisition['hours'] {
  const totals = new Array<number>(WEEK_HOURS).fill(0);
  const stretches = offsetsBetween(sinceMs, untilMs, timeZone);
  for (const [quarterHour, { sessions }] of quarterHours) {
    const cell = weekHourAt(Number(quarterHour) * QUARTER_HOUR_MS, stretches);
    totals[cell] = (totals[cell] ?? 0) + sessions;
  }
  return totals.map((sessions, cell) => ({ weekday: Math.floor(cell / 24), hour: cell % 24, sessions }));
}

/** The values with the most sessions, and their numbers of sessions. Omits `''` and values without sessions. */
const largest = <V extends string>(values: readonly V[], counts: Totals): [V, number][] =>
  values
    .map((value): [V, number] => [value, counts.get(value)?.sessions ?? 0])
    .filter(([value, sessions]) => value !== '' && sessions > 0)
    .sort(([a, sessionsA], [b, sessionsB]) => sessionsB - sessionsA || compareUtf8(a, b))
    .slice(0, TOP_VALUES_MAX);
