// The functions of temporal-polyfill instead of its classes: a bundle takes 20 KB of them, not 56.
import * as Instant from 'temporal-polyfill/fns/Instant';
import * as PlainDate from 'temporal-polyfill/fns/PlainDate';
import * as ZonedDateTime from 'temporal-polyfill/fns/ZonedDateTime';

/** A date of a calendar on a wall, wherever that wall is. */
export type LocalDate = PlainDate.Record;

/** Whether `name` is a zone of the IANA database. An offset such as +02:00 is not one: it has no rules. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const zoned = (timeMs: number, timeZone: string) =>
  Instant.toZonedDateTimeISO(Instant.fromEpochMilliseconds(timeMs), timeZone);

/** The local date at an instant, milliseconds since the epoch. */
export const localDate = (timeMs: number, timeZone: string): LocalDate =>
  ZonedDateTime.toPlainDate(zoned(timeMs, timeZone));

/** The date that `2026-05-31` writes. @throws RangeError when there is no such day */
export function dateOf(text: string): LocalDate {
  const [year = Number.NaN, month = Number.NaN, day = Number.NaN] = text.split('-').map(Number);
  return PlainDate.create(year, month, day);
}

export const addDays = (date: LocalDate, days: number): LocalDate => PlainDate.addDays(date, days);

/** The first instant of a local date, milliseconds since the epoch: not always midnight, which some zones skip. */
export const startOfDay = (date: LocalDate, timeZone: string): number =>
  PlainDate.toZonedDateTime(date, timeZone).epochMilliseconds;

/** The instant `years` later on the calendar of the zone, milliseconds since the epoch. */
export const yearsLater = (timeMs: number, years: number, timeZone: string): number =>
  ZonedDateTime.addYears(zoned(timeMs, timeZone), years).epochMilliseconds;

/** The instant that RFC 3339 text writes, milliseconds since the epoch. @throws RangeError when it is none */
export const instantMs = (text: string): number => Instant.fromString(text).epochMilliseconds;
