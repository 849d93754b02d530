// Uses the functions of temporal-polyfill, which add 20 KB to a bundle. Its classes would add 56 KB.
import * as Instant from 'temporal-polyfill/fns/Instant';
import * as PlainDate from 'temporal-polyfill/fns/PlainDate';
import * as ZonedDateTime from 'temporal-polyfill/fns/ZonedDateTime';

/** A calendar date without a time zone. */
export type LocalDate = PlainDate.Record;

/**
 * An interval in which a zone has one UTC offset. It starts at `fromMs` and ends where the next interval starts. Local
 * time is UTC plus `offsetMs`.
 */
export type OffsetInterval = { fromMs: number; offsetMs: number };

/**
 * Whether `name` is a zone of the IANA database, ignoring case as tzdb and RFC 9557 do. Rejects offsets such as +02:00,
 * which have no rules for daylight saving time, and names that only ICU knows (PST, SystemV/EST5).
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || /^SystemV/i.test(name)) return false;
  try {
    zoned(0, name);
    return true;
  } catch {
    return false;
  }
}

const zoned = (timeMs: number, timeZone: string) =>
  Instant.toZonedDateTimeISO(Instant.fromEpochMilliseconds(timeMs), timeZone);

/** Returns the local date at an instant, which is given in milliseconds since the epoch. */
export const localDate = (timeMs: number, timeZone: string): LocalDate =>
  ZonedDateTime.toPlainDate(zoned(timeMs, timeZone));

/** Parses a date such as `2026-05-31`. @throws RangeError when the day does not exist */
export function parseLocalDate(text: string): LocalDate {
  const [year = Number.NaN, month = Number.NaN, day = Number.NaN] = text.split('-').map(Number);
  return PlainDate.create(year, month, day);
}

export const addDays = (date: LocalDate, days: number): LocalDate => PlainDate.addDays(date, days);

/**
 * Returns the first instant of a local date, milliseconds since the epoch. It is not always midnight, because some
 * zones skip midnight on some dates.
 */
export const startOfDay = (date: LocalDate, timeZone: string): number =>
  PlainDate.toZonedDateTime(date, timeZone).epochMilliseconds;

/** Returns the instant `days` later in local time, milliseconds since the epoch. */
export const daysLater = (timeMs: number, days: number, timeZone: string): number =>
  ZonedDateTime.addDays(zoned(timeMs, timeZone), days).epochMilliseconds;

/**
 * Returns the next instant after `timeMs` at which a local clock shows this full hour (0 to 23), in milliseconds since
 * the epoch. If a change of the clocks repeats the hour, only its first occurrence counts. If a change skips the hour,
 * the result is later by the length of the gap.
 */
export function nextLocalHour(timeMs: number, hour: number, timeZone: string): number {
  const onTheHour = { minute: 0, second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 };
  const today = ZonedDateTime.withFields(zoned(timeMs, timeZone), { hour, ...onTheHour });
  return today.epochMilliseconds > timeMs ? today.epochMilliseconds : ZonedDateTime.addDays(today, 1).epochMilliseconds;
}

/** Returns the instant `years` later in local time, milliseconds since the epoch. */
export const yearsLater = (timeMs: number, years: number, timeZone: string): number =>
  ZonedDateTime.addYears(zoned(timeMs, timeZone), years).epochMilliseconds;

/** Parses an RFC 3339 instant to milliseconds since the epoch. @throws RangeError when it is invalid */
export const instantMs = (text: string): number => Instant.fromString(text).epochMilliseconds;

/**
 * Returns the UTC offsets of a zone from `fromMs` to `untilMs` (exclusive), in order. The result has at least one
 * entry.
 */
export function offsetsBetween(fromMs: number, untilMs: number, timeZone: string): OffsetInterval[] {
  const stretches: OffsetInterval[] = [];
  let at: ZonedDateTime.Record | null = zoned(fromMs, timeZone);
  while (at !== null && (stretches.length === 0 || at.epochMilliseconds < untilMs)) {
    stretches.push({ fromMs: at.epochMilliseconds, offsetMs: ZonedDateTime.offsetNanoseconds(at) / 1_000_000 });
    at = ZonedDateTime.getTimeZoneTransition(at, 'next');
  }
  return stretches;
}

/**
 * Formats an instant as RFC 3339 with an offset. RFC 3339 has no seconds in offsets, but some historical offsets do.
 * Therefore the offset is rounded to a minute. The local time is shifted by the difference, so that the instant stays
 * the same.
 */
export function instantText(timeMs: number, offsetMs: number): string {
  const minutes = Math.round(offsetMs / 60_000);
  const local = new Date(timeMs + 60_000 * minutes).toISOString().replace(/(?:\.000)?Z$/, '');
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${local}${minutes < 0 ? '-' : '+'}${hour}:${minute}`;
}
