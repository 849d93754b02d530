import { Temporal } from 'temporal-polyfill';

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

/** The local date at an instant, milliseconds since the epoch. */
export const localDate = (timeMs: number, timeZone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(timeZone).toPlainDate();

/** The first instant of a local date, milliseconds since the epoch: not always midnight, which some zones skip. */
export const startOfDay = (date: Temporal.PlainDate, timeZone: string): number =>
  date.toZonedDateTime(timeZone).epochMilliseconds;

/** The instant `years` later on the calendar of the zone, milliseconds since the epoch. */
export const yearsLater = (timeMs: number, years: number, timeZone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(timeZone).add({ years }).epochMilliseconds;
