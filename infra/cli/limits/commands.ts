import { FunnelLimits } from '../../../shared/funnels/funnel.ts';
import { OrganizationLimits } from '../../../shared/organizations/organization.ts';
import { UserError } from '../../common/user-error.ts';
import { throwUnknownOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { argument, command, group, option, type Parameter, repeatable, usageError } from '../program/command.ts';
import { parseUuid } from '../program/parameters.ts';
import { kebabCase } from '../terminal/format.ts';
import { type Output, table } from '../terminal/output.ts';
import {
  type EffectiveLimit,
  type LimitName,
  type LimitOwner,
  readEffectiveLimits,
  updateLimits,
} from './effective-limits.ts';

const MEANINGS: Record<LimitName, string> = {
  smsPerDay: 'SMS with verification codes of an organization per UTC day',
  aiTokensPerDay: 'input and output tokens of language models per UTC day, of the organization or the funnel',
  uploadBytesPerDay: 'bytes of uploaded files of an organization per UTC day',
  sessionsPerDay: 'training sessions of an organization per UTC day',
  domains: 'custom domains of an organization',
  submitsPerMinuteAndLead: 'submits of one lead of a funnel per minute',
  sendsPerTenMinutesAndLead: 'verification codes to one lead of a funnel per ten minutes',
  sendsPerHourAndDestination:
    'verification codes to one destination per hour, including codes that other funnels of the organization send',
};
const LIMIT_NAMES = Object.keys(MEANINGS) as LimitName[];
const SHAPES: Record<
  LimitOwner['kind'],
  Partial<Record<string, { safeParse(value: unknown): { success: boolean } }>>
> = {
  organization: OrganizationLimits.shape,
  funnel: FunnelLimits.shape,
};

const args = {
  orgId: argument('[organization]', 'organization id; see "organizations list"', parseUuid('organization')),
};
const funnel = option(
  '--funnel <id>',
  'funnel id, instead of an organization id; see "funnels list"',
  parseUuid('funnel'),
);
type Owner = { orgId: string | undefined; funnel: string | undefined };

const checkOwner = ({ orgId, funnel: funnelId }: Owner) =>
  (orgId === undefined) === (funnelId === undefined) ? 'give either an organization id or --funnel <id>' : undefined;

const OWNER_HELP = 'Give either an organization id or --funnel.';
const SOURCES_HELP = `Sources of limits:
  service   the default of the service
  own       a value from "limits set" or from the limits in the funnel file
  ai block  dailyTokens in the AI block of the published funnel file; then the
            limit ai-tokens-per-day of the funnel has no effect`;
const LIMITS_JSON =
  'one JSON object: the id as `organization` or `funnel`, and `limits` by name, each with `limit`, `source` and ' +
  '`usedToday` (null for a limit that is not per day)';

const toOwner = ({ orgId, funnel: funnelId }: Owner): LimitOwner =>
  funnelId === undefined ? { kind: 'organization', id: orgId ?? '' } : { kind: 'funnel', id: funnelId };

const show = command({
  name: 'show',
  description: 'Shows each limit of an organization or a funnel with its source and the usage of the current UTC day.',
  args,
  options: { funnel },
  json: LIMITS_JSON,
  help: `${OWNER_HELP}\n${SOURCES_HELP}`,
  check: checkOwner,
  run: async (input) => ({
    ...(await limitsOutput(toOwner(input))),
    hints: [
      'SOURCE: "service" is the default; "own" is a value of "limits set" or of the funnel file; ' +
        '"ai block" is the value in the AI block of the funnel file.',
    ],
  }),
});

const parseLimit = (given: string): number => {
  const count = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (!Number.isSafeInteger(count)) throw usageError('Give a whole number below 2^53, with digits only.');
  return count;
};
const parseName = (given: string): LimitName => {
  const name = LIMIT_NAMES.find((one) => [one, kebabCase(one)].includes(given));
  if (name === undefined) throw usageError(`The limits are ${LIMIT_NAMES.map(kebabCase).join(', ')}.`);
  return name;
};

/**
 * One option per limit. The name of the limit in JSON is an alias of the option. Commander stores the values of both
 * spellings under the same key.
 */
const limitOptions = Object.fromEntries(
  LIMIT_NAMES.map((name) => {
    const alias = name === kebabCase(name) ? {} : { alias: `--${name} <count>` };
    return [name, option(`--${kebabCase(name)} <count>`, MEANINGS[name], parseLimit, alias)] as const;
  }),
) as Record<LimitName, Parameter<number | undefined>>;

const namesOf = (kind: LimitOwner['kind']) => Object.keys(SHAPES[kind]).map(kebabCase).join(', ');

const set = command({
  name: 'set',
  description: 'Sets limits of an organization or a funnel, which replace the defaults of the service.',
  args,
  options: {
    funnel,
    ...limitOptions,
    unset: repeatable('--unset <name>', 'name of a limit to reset to the default, such as sms-per-day', parseName),
  },
  json: LIMITS_JSON,
  help: `${OWNER_HELP}
Also give at least one limit to set, or --unset.
Each <count> is a whole number: for an organization at least 0, for a funnel at
least 1.
Limits of an organization: ${namesOf('organization')}.
Limits of a funnel: ${namesOf('funnel')}.
Options can also be written like the names of limits in JSON, for example
--smsPerDay instead of --sms-per-day.

New limits apply within 30 seconds. "limits show" prints the current limits.
The next "funnels publish" or "funnels rollback" replaces the limits of the
funnel with the limits in the published file.
${SOURCES_HELP}`,
  check: (input) => {
    const owner = checkOwner(input);
    if (owner !== undefined) return owner;
    const { kind } = toOwner(input);
    const given = LIMIT_NAMES.filter((name) => input[name] !== undefined);
    const named = [...given, ...input.unset];
    const foreign = named.find((name) => SHAPES[kind][name] === undefined);
    if (foreign !== undefined) return `${kind}s have no limit ${kebabCase(foreign)}; their limits are ${namesOf(kind)}`;
    const both = input.unset.find((name) => given.includes(name));
    if (both !== undefined) return `${kebabCase(both)} cannot be both set and unset`;
    const invalid = given.find((name) => !SHAPES[kind][name]?.safeParse(input[name]).success);
    // `parseLimit` has checked all other bounds, so an invalid value is below the minimum.
    if (invalid !== undefined) return `--${kebabCase(invalid)} must be at least 1 for a ${kind}`;
    return named.length === 0 ? 'give a limit to set, or --unset <name>' : undefined;
  },
  run: async (input) => {
    const owner = toOwner(input);
    const set = Object.fromEntries(
      LIMIT_NAMES.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
    );
    const unset = Object.fromEntries(input.unset.map((name) => [name, undefined]));
    if (!(await updateLimits(owner, { ...set, ...unset }))) throwUnknown(owner);
    const untilPublished =
      owner.kind === 'funnel' ? ' The next publication replaces them with the limits in the published file.' : '';
    return { ...(await limitsOutput(owner)), notes: [`The limits apply within 30 seconds.${untilPublished}`] };
  },
});

async function limitsOutput(owner: LimitOwner): Promise<Output> {
  const limits = (await readEffectiveLimits(owner)) ?? throwUnknown(owner);
  return {
    json: { [owner.kind]: owner.id, limits },
    text: table(Object.entries(limits), [
      { head: 'LIMIT', width: 30, value: ([name]) => kebabCase(name) },
      { head: 'VALUE', width: 15, align: 'right', value: ([, { limit }]) => limit },
      { head: 'SOURCE', width: 8, value: ([, { source }]) => source },
      { head: 'USED TODAY, UTC', value: usedText },
    ]),
  };
}

function throwUnknown({ kind, id }: LimitOwner): never {
  if (kind === 'organization') return throwUnknownOrganization(id);
  throw new UserError(`There is no funnel ${id}: see "funnels list".`);
}

function usedText([name, { limit, usedToday }]: [string, EffectiveLimit]): string {
  if (usedToday === null) return name === 'domains' ? 'see "domains list"' : 'not counted by day';
  const percent = usedToday === 0 || limit === 0 ? '' : ` (${Math.floor((100 * usedToday) / limit)}%)`;
  return `${usedToday.toLocaleString('en')}${percent}`;
}

export const limits = group('limits', 'Limits and budgets of organizations and funnels: show and set them.', [
  show,
  set,
]);
