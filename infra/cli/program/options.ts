import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod/mini';
import { uuid } from '../../../shared/http/schemas.ts';

const Day = z.iso.date();
const Instant = z.iso.datetime({ offset: true });
const DAY_MS = 86_400_000;

/** A parser of commander's arguments. @throws InvalidArgumentError, which is answered as wrong usage */
export function parseUuid(what: string): (given: string) => string {
  return (given) => {
    const { success, data } = uuid.safeParse(given);
    if (!success) throw new InvalidArgumentError(`The ${what} is a UUID.`);
    return data;
  };
}

/** What a schema makes of an argument. @param sentence for what it does not take */
export function parseWith<T>(schema: z.ZodMiniType<T>, sentence: string): (given: string) => T {
  return (given) => {
    const parsed = schema.safeParse(given);
    if (!parsed.success) throw new InvalidArgumentError(sentence);
    return parsed.data;
  };
}

/** The first instant from a time on, as ISO 8601 UTC with milliseconds. A day is one of UTC, an age counts back from now. */
export const parseSince = (given: string): string => isoTime(millisecondsOf(given));

/** The last millisecond before an instant or an age, or of a day. */
export const parseUntil = (given: string): string =>
  isoTime(millisecondsOf(given) + (Day.safeParse(given).success ? DAY_MS : 0) - 1);

/** Refuses `--since` and `--until` with no time between them, as wrong usage. */
export function requireOrder(command: Command): void {
  const { since: from, until: to } = command.opts<{ since?: string; until?: string }>();
  if (from !== undefined && to !== undefined && from > to) {
    command.error('error: --until ends before --since begins: are the two swapped?');
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

const AGE = /^([1-9]\d{0,4})(d|h)$/;
const HOUR_MS = 3_600_000;

function millisecondsOf(given: string): number {
  const [, count, unit] = AGE.exec(given) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
  if (!Day.safeParse(given).success && !Instant.safeParse(given).success) {
    throw new InvalidArgumentError(
      'Give a day such as 2026-03-31 (UTC), an instant such as 2026-03-31T14:30:00Z, or an age such as 7d or 12h.',
    );
  }
  return Date.parse(given);
}

/** A whole number within bounds. */
export function parseCount(min: number, max: number): (given: string) => number {
  return (given) => {
    const count = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
    if (!(count >= min && count <= max)) throw new InvalidArgumentError(`Give a number from ${min} to ${max}.`);
    return count;
  };
}
