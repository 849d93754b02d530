import * as z from 'zod/mini';
import { uuid } from '../../../shared/http/schemas.ts';
import { argument, flag, option, usageError } from './command.ts';

const Day = z.iso.date();
const Instant = z.iso.datetime({ offset: true });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Where an operator finds the ids of each kind. */
const ID_SOURCES = {
  address: '"notifications list"',
  call: '"training calls list"',
  case: '"training cases list"',
  domain: '"domains list"',
  endpoint: '"webhooks list"',
  file: '`uuid` in the data of a lead',
  funnel: '"funnels list"',
  lead: '"leads list"',
  organization: '"organizations list"',
  page: '"pages list"',
  persona: '"training personas list"',
  user: '"members list"',
  version: '"funnels versions"',
} as const;
type IdKind = keyof typeof ID_SOURCES;

/** Creates a parser of ids. The parser throws an InvalidArgumentError, which ends the command with a usage error. */
export const parseUuid = (what: IdKind) => parseWith(uuid, `Give the ${what} id, a UUID: see ${ID_SOURCES[what]}.`);

export const parseWith =
  <T>(schema: z.ZodMiniType<T>, sentence: string) =>
  (given: string): T => {
    const parsed = schema.safeParse(given);
    if (!parsed.success) throw usageError(sentence);
    return parsed.data;
  };

export const parseCount =
  (min: number, max: number) =>
  (given: string): number => {
    const count = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
    if (!(count >= min && count <= max)) throw usageError(`Give a number from ${min} to ${max}.`);
    return count;
  };

export const idArgument = (what: IdKind) =>
  argument(`<${what}>`, `${what} id; see ${ID_SOURCES[what]}`, parseUuid(what));
export const organizationArgument = idArgument('organization');
export const funnelArgument = idArgument('funnel');

export const yes = flag('--yes', 'do not ask for confirmation');
export const dryRun = flag('--dry-run', 'show what would change, and change nothing');

/** The options `--since` and `--until`. A command must check them with `checkTimeRange`. */
export const timeRange = {
  since: option(
    '--since <time>',
    'only leads whose latest submit is at or after this time: a UTC day (2026-03-31), an instant ' +
      '(2026-03-31T14:30:00Z), or an age (7d: 7 days ago; 12h: 12 hours ago)',
    (given) => parseInstant(given),
  ),
  until: option(
    '--until <time>',
    'only leads whose latest submit is before this time (formats as for --since); ' +
      'if the time is a UTC day, before the end of this day',
    (given) => toIso(parseTime(given) + (Day.safeParse(given).success ? DAY_MS : 0) - 1),
  ),
};

export const checkTimeRange = ({ since, until }: { since: string | undefined; until: string | undefined }) =>
  since !== undefined && until !== undefined && since > until ? '--until is before --since: swap them' : undefined;

/** Parses a UTC day, an instant or an age, to ISO 8601 UTC. @throws InvalidArgumentError */
export const parseInstant = (given: string): string => toIso(parseTime(given));

const toIso = (ms: number): string => new Date(ms).toISOString();

function parseTime(given: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})(d|h)$/.exec(given) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
  if (!Day.safeParse(given).success && !Instant.safeParse(given).success) {
    throw usageError(
      'Give a day such as 2026-03-31 (UTC), an instant such as 2026-03-31T14:30:00Z, or an age such as 7d or 12h.',
    );
  }
  return Date.parse(given);
}
