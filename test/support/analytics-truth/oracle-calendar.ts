import { DateTime } from 'luxon';
import { HOUR_MS, MINUTE_MS } from './sent.ts';

/** Days, weeks and hours of a zone, found by asking luxon about every quarter of an hour. */

const QUARTER_MS = 15 * MINUTE_MS;
/** Further from UTC than any zone is. */
const FAR_MS = 16 * HOUR_MS;

const remembered = <V>(work: (time: number, zone: string) => V) => {
  const known = new Map<string, V>();
  return (time: number, zone: string): V => {
    const key = `${zone} ${time}`;
    const value = known.get(key) ?? work(time, zone);
    known.set(key, value);
    return value;
  };
};

const localTime = (ms: number, zone: string): DateTime => DateTime.fromMillis(ms, { zone });

/** The local date at an instant, as `2026-05-31`. */
export const dateAt = (ms: number, zone: string): string => localTime(ms, zone).toFormat('yyyy-MM-dd');

export const datePlus = (date: string, days: number): string =>
  DateTime.fromISO(date, { zone: 'UTC' }).plus({ days }).toFormat('yyyy-MM-dd');

/** The Monday of the date's week. */
export const mondayOf = (date: string): string => datePlus(date, 1 - DateTime.fromISO(date, { zone: 'UTC' }).weekday);

/** 0 = Sunday. */
export const weekdayAndHourAt = (ms: number, zone: string): { weekday: number; hour: number } => {
  const { weekday, hour } = localTime(ms, zone);
  return { weekday: weekday % 7, hour };
};

const firstQuarterOf = remembered((utcMidnightMs, zone) => {
  const date = dateAt(utcMidnightMs, 'UTC');
  let ms = utcMidnightMs - FAR_MS;
  while (dateAt(ms, zone) < date) ms += QUARTER_MS;
  return ms;
});

/** The first instant at which the calendar shows the date, or a later one where it shows it never. */
export const dayStart = (date: string, zone: string): number =>
  firstQuarterOf(DateTime.fromISO(date, { zone: 'UTC' }).toMillis(), zone);

/** An hour bucket is a local hour together with its offset: a repeated hour is two. */
export const hourKeyAt = remembered((ms, zone) => localTime(ms, zone).toFormat("yyyy-MM-dd'T'HHZZ"));

/** The first instants of the hour buckets that the range touches, by key. */
export function hourStarts(sinceMs: number, untilMs: number, zone: string): Map<string, number> {
  const starts = new Map<string, number>();
  const firstQuarterMs = Math.floor(sinceMs / QUARTER_MS) * QUARTER_MS;
  for (let ms = firstQuarterMs - 2 * HOUR_MS; ms < untilMs; ms += QUARTER_MS) {
    const key = hourKeyAt(ms, zone);
    if (!starts.has(key)) starts.set(key, ms);
  }
  const first = hourKeyAt(firstQuarterMs, zone);
  for (const key of starts.keys()) {
    if (key === first) break;
    starts.delete(key);
  }
  return starts;
}

/** An instant as it is written with the zone's offset then; UTC's is +00:00. */
export const writtenAt = (ms: number, zone: string): string =>
  localTime(ms, zone).toFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZZ");

/** The same of a text of RFC 3339 that names its own offset, so that both spellings of UTC and of whole seconds agree. */
export function rewritten(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.test(text))
    return `not RFC 3339: ${text}`;
  return DateTime.fromISO(text, { setZone: true }).toFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZZ");
}

export const instantOf = (text: string): number => DateTime.fromISO(text, { setZone: true }).toMillis();
