import { DateTime, IANAZone } from 'luxon';
import { HOUR_MS, MINUTE_MS } from './sent-events.ts';

/** Computes days, weeks and hours of a zone from luxon's offsets at each quarter of an hour. */

const QUARTER_MS = 15 * MINUTE_MS;
/** More than the offset of any zone from UTC. */
const FAR_MS = 16 * HOUR_MS;

const offsets = new Map<string, Map<number, number>>();

/** Looks up one offset for each quarter of an hour, because zones change their offsets only at quarters. */
function offsetMsAt(ms: number, zone: string): number {
  const known = offsets.get(zone) ?? new Map<number, number>();
  offsets.set(zone, known);
  const quarter = Math.floor(ms / QUARTER_MS);
  const offsetMs = known.get(quarter) ?? IANAZone.create(zone).offset(quarter * QUARTER_MS) * MINUTE_MS;
  known.set(quarter, offsetMs);
  return offsetMs;
}

/** The local clock time, as if it were in UTC. */
const onTheWall = (ms: number, zone: string): Date => new Date(ms + offsetMsAt(ms, zone));

/** The local date at an instant, as `2026-05-31`. */
export const dateAt = (ms: number, zone: string): string => onTheWall(ms, zone).toISOString().slice(0, 10);

/** Weekday 0 is Sunday. */
export const weekdayAndHourAt = (ms: number, zone: string): { weekday: number; hour: number } => {
  const wall = onTheWall(ms, zone);
  return { weekday: wall.getUTCDay(), hour: wall.getUTCHours() };
};

/** The key of an hour bucket: a local hour and its offset. A repeated hour has two keys. */
export const hourKeyAt = (ms: number, zone: string): string =>
  `${Math.floor((ms + offsetMsAt(ms, zone)) / HOUR_MS)} ${offsetMsAt(ms, zone)}`;

/** The RFC 3339 text of an instant, with the zone's offset. The offset of UTC is +00:00. */
export function writtenAt(ms: number, zone: string): string {
  const minutes = Math.abs(offsetMsAt(ms, zone)) / MINUTE_MS;
  const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return onTheWall(ms, zone)
    .toISOString()
    .replace('Z', `${offsetMsAt(ms, zone) < 0 ? '-' : '+'}${parts.join(':')}`);
}

export const datePlus = (date: string, days: number): string => {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10);
};

export const mondayOf = (date: string): string => datePlus(date, -((new Date(date).getUTCDay() + 6) % 7));

const dayStarts = new Map<string, number>();

/** The instant at which a local date begins. If the zone skips the date, returns the beginning of the next date. */
export function dayStart(date: string, zone: string): number {
  const key = `${date} ${zone}`;
  const startMs = dayStarts.get(key) ?? findDayStart(date, zone);
  dayStarts.set(key, startMs);
  return startMs;
}

function findDayStart(date: string, zone: string): number {
  let [before, from] = [Date.parse(date) - FAR_MS, Date.parse(date) + FAR_MS];
  while (from - before > QUARTER_MS) {
    const middle = before + Math.floor((from - before) / QUARTER_MS / 2) * QUARTER_MS;
    if (dateAt(middle, zone) < date) before = middle;
    else from = middle;
  }
  return from;
}

/** The start times of the hour buckets that overlap the range, by the key of the bucket. */
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

const RFC_3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/;

/** Rewrites an RFC 3339 text with milliseconds and a numeric offset, so that different spellings become equal. */
export function rewritten(text: string): string {
  const [, wall, fraction = '.', offset = ''] = RFC_3339.exec(text) ?? [];
  return wall === undefined
    ? `not RFC 3339: ${text}`
    : `${wall}${fraction.padEnd(4, '0')}${offset.replace('Z', '+00:00')}`;
}

export const instantOf = (text: string): number => DateTime.fromISO(text, { setZone: true }).toMillis();
