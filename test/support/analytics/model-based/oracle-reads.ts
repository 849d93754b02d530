import {
  dateAt,
  datePlus,
  dayStart,
  hourKeyAt,
  hourStarts,
  instantOf,
  mondayOf,
  weekdayAndHourAt,
  writtenAt,
} from './oracle-calendar.ts';
import { ORACLE_DIMENSIONS, type OracleDimension, type OracleSession } from './oracle-sessions.ts';

export type Granularity = 'hour' | 'day' | 'week';
/** A read's query as a client sends it. */
export type Asked = {
  range: 'today' | 'yesterday' | '7d' | '30d' | '90d' | 'all' | 'custom';
  since?: string;
  until?: string;
  timezone: string;
  granularity?: Granularity;
  filters: { [dimension in OracleDimension]?: string };
};
export type Bounds = { sinceMs: number; untilMs: number };

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAYS = { today: 1, '7d': 7, '30d': 30, '90d': 90 };

/** The bounds of the query's range. @param sessions all sessions of the funnel */
export function oracleBounds(query: Asked, sessions: readonly OracleSession[], nowMs: number): Bounds {
  const { range, since = '', until = '', timezone: zone } = query;
  const today = dateAt(nowMs, zone);
  if (range === 'yesterday') return { sinceMs: dayStart(datePlus(today, -1), zone), untilMs: dayStart(today, zone) };
  if (range === 'custom')
    return {
      sinceMs: DATE.test(since) ? dayStart(since, zone) : instantOf(since),
      untilMs: DATE.test(until) ? dayStart(datePlus(until, 1), zone) : instantOf(until),
    };
  if (range !== 'all') return { sinceMs: dayStart(datePlus(today, 1 - DAYS[range]), zone), untilMs: nowMs };
  const firstDay = sessions.map(({ firstMs }) => dateAt(firstMs, zone)).sort()[0] ?? today;
  return { sinceMs: dayStart(firstDay < today ? firstDay : today, zone), untilMs: nowMs };
}

/** The funnel's sessions that a read counts. */
export function counted(query: Asked, sessions: readonly OracleSession[], nowMs: number): OracleSession[] {
  const { sinceMs, untilMs } = oracleBounds(query, sessions, nowMs);
  return sessions.filter(
    (session) =>
      session.firstMs >= sinceMs &&
      session.firstMs < untilMs &&
      ORACLE_DIMENSIONS.every((name) => query.filters[name] === undefined || query.filters[name] === session[name]),
  );
}

const startsIn = (sessions: readonly OracleSession[]) => sessions.filter(({ started }) => started).length;
const completionsIn = (sessions: readonly OracleSession[]) => sessions.filter(({ completed }) => completed).length;

/** Completions as a percentage of starts, with 2 decimals, rounded half up. Computed in integers. */
function rateOf(sessions: readonly OracleSession[]): number {
  const [starts, completions] = [BigInt(startsIn(sessions)), BigInt(completionsIn(sessions))];
  if (starts === 0n) return 0;
  const hundredths = (2n * 10_000n * completions + starts) / (2n * starts);
  return Number(`${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`);
}

export function oracleOverview(sessions: readonly OracleSession[]) {
  const devices = ['mobile', 'tablet', 'desktop'].map((deviceType) => {
    const own = sessions.filter((session) => session.deviceType === deviceType);
    return { deviceType, total: own.length, starts: startsIn(own), completions: completionsIn(own) };
  });
  const totals = { totalStarts: startsIn(sessions), totalCompletions: completionsIn(sessions) };
  return { overview: { ...totals, conversionRate: rateOf(sessions) }, devices };
}

/** The start times of the buckets that overlap the range, by the key of the bucket. */
function bucketsOf({ sinceMs, untilMs }: Bounds, zone: string, granularity: Granularity): Map<string, number> {
  if (granularity === 'hour') return hourStarts(sinceMs, untilMs, zone);
  const starts = new Map<string, number>();
  const last = dateAt(untilMs - 1, zone);
  for (let date = dateAt(sinceMs, zone); date <= last; date = datePlus(date, 1)) {
    if (dateAt(dayStart(date, zone), zone) !== date) continue;
    const key = granularity === 'day' ? date : mondayOf(date);
    starts.set(key, dayStart(key, zone));
  }
  return starts;
}

function bucketKey(ms: number, zone: string, granularity: Granularity): string {
  if (granularity === 'hour') return hourKeyAt(ms, zone);
  return granularity === 'day' ? dateAt(ms, zone) : mondayOf(dateAt(ms, zone));
}

/** @param sessions the sessions that the read counts */
export function oracleTimeseries(
  sessions: readonly OracleSession[],
  bounds: Bounds,
  { zone, granularity }: { zone: string; granularity: Granularity },
) {
  const points = [...bucketsOf(bounds, zone, granularity)].map(([key, startMs]) => {
    const own = sessions.filter(({ firstMs }) => bucketKey(firstMs, zone, granularity) === key);
    const rates = { starts: startsIn(own), completions: completionsIn(own), conversionRate: rateOf(own) };
    return { bucket: writtenAt(startMs, zone), ...rates };
  });
  return { granularity, since: writtenAt(bounds.sinceMs, zone), until: writtenAt(bounds.untilMs, zone), points };
}

const LISTED_MAX = 100;

/** The 100 most frequent non-empty values of a dimension, with their numbers of sessions. Ties are in UTF-8 order. */
function listOf(sessions: readonly OracleSession[], dimension: OracleDimension): [value: string, total: number][] {
  const totals = new Map<string, number>();
  for (const { [dimension]: value } of sessions) if (value !== '') totals.set(value, (totals.get(value) ?? 0) + 1);
  return [...totals]
    .sort(([a, ofA], [b, ofB]) => ofB - ofA || Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .slice(0, LISTED_MAX);
}

/** @param sessions the sessions that the read counts */
export function oracleAcquisition(sessions: readonly OracleSession[], zone: string) {
  const cells = sessions.map(({ firstMs }) => weekdayAndHourAt(firstMs, zone));
  const hours = Array.from({ length: 7 * 24 }, (_, at) => {
    const [weekday, hour] = [Math.floor(at / 24), at % 24];
    return { weekday, hour, sessions: cells.filter((cell) => cell.weekday === weekday && cell.hour === hour).length };
  });
  const values = (dimension: OracleDimension) =>
    listOf(sessions, dimension).map(([value, total]) => ({ value, total }));
  return {
    hours,
    browsers: listOf(sessions, 'browser').map(([browser, total]) => ({ browser, total })),
    oses: listOf(sessions, 'os').map(([os, total]) => ({ os, total })),
    referrers: listOf(sessions, 'referrer').map(([referrer, total]) => ({ referrer, total })),
    utmSources: values('utmSource'),
    utmMediums: values('utmMedium'),
    utmCampaigns: values('utmCampaign'),
    utmTerms: values('utmTerm'),
    utmContents: values('utmContent'),
  };
}
