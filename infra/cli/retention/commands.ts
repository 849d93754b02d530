import type { RetentionPeriods } from '../../../shared/organizations/organization.ts';
import { enforceOrganizationRetention } from '../../../shared/privacy/enforce-organization-retention.ts';
import type { RetentionOutcome } from '../../../shared/privacy/ports.ts';
import {
  requireOrganization,
  throwUnknownOrganization,
} from '../organizations/dynamo-organization-admin-repository.ts';
import { command, flag, group, option } from '../program/command.ts';
import { dryRun, organizationArgument, parseCount, yes } from '../program/parameters.ts';
import { toUserMessage } from '../program/user-message.ts';
import { createErrorLogger } from '../terminal/error-logger.ts';
import { formatCount, formatList } from '../terminal/format.ts';
import { Fields } from '../terminal/output.ts';
import { NOTHING_CHANGED } from '../terminal/terminal.ts';
import { operatorVoiceProvider, VOICE_KEY_HELP } from '../training/voice-provider.ts';
import { applyPeriodChanges, changePeriods, type PeriodChanges } from './change-periods.ts';
import { countDue, type DueCounts } from './count-due.ts';
import { duePorts, retentionPorts } from './dependencies.ts';

const DAYS_MAX = 36_500;
const args = { orgId: organizationArgument };
const periodsJson = 'one JSON object: `retention` (the periods in days)';
const dueJson = '`due` (the numbers of leads, calls and recordings that a run with these periods would erase now)';

const MEANINGS = {
  leadDays: [
    '--lead-days',
    `period for leads and their files, 1 to ${DAYS_MAX} days from the last submit; ` +
      'if the funnel has its own period, the shorter of the two periods applies',
  ],
  callDays: [
    '--call-days',
    `period for training calls with their transcripts and recordings, 1 to ${DAYS_MAX} days from the opening of ` +
      'the call',
  ],
  recordingDays: [
    '--recording-days',
    `period for recordings of training calls, 1 to ${DAYS_MAX} days from the opening of the call`,
  ],
} as const;
const AT_LEAST_ONE = 'at least one of --lead-days, --call-days and --recording-days';
type Kind = keyof typeof MEANINGS;
const KINDS = Object.keys(MEANINGS) as Kind[];

const forEachKind = <T>(of: (kind: Kind) => T) =>
  Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Record<Kind, T>;

const checkPeriods = (input: Record<Kind, number | boolean | undefined>) =>
  KINDS.some((kind) => input[kind]) ? undefined : `give ${AT_LEAST_ONE}`;

const show = command({
  name: 'show',
  description: 'Shows the retention periods of an organization.',
  args,
  json: `${periodsJson} and, with --preview, ${dueJson}`,
  options: { preview: flag('--preview', 'also count the data that a run with these periods would erase now') },
  run: async ({ orgId, preview }) => {
    const { retention: periods } = await requireOrganization(orgId);
    const due = preview ? await countDue(duePorts(), orgId, periods) : undefined;
    return { json: { retention: periods, due }, text: [periodFields(periods), due && nextRun(due)] };
  },
});

const set = command({
  name: 'set',
  description: 'Sets retention periods; periods that are not given stay unchanged.',
  args,
  json: `${periodsJson} and ${dueJson}`,
  help: `Give ${AT_LEAST_ONE}.`,
  options: {
    ...forEachKind((kind) => option(`${MEANINGS[kind][0]} <days>`, MEANINGS[kind][1], parseCount(1, DAYS_MAX))),
    dryRun,
    yes,
  },
  check: checkPeriods,
  run: async ({ orgId, ...input }, { confirm }) => {
    const changes = forEachKind((kind) => input[kind]);
    const { retention: periods } = await requireOrganization(orgId);
    const next = applyPeriodChanges(periods, changes);
    const due = await countDue(duePorts(), orgId, next);
    if (!input.dryRun) {
      if (!isNothing(due)) await confirm(`${nextRun(due)} Set these periods?`, input.yes);
      await change(orgId, changes);
    }
    return {
      json: { retention: next, due },
      text: [periodFields(next), nextRun(due)],
      notes: input.dryRun ? [NOTHING_CHANGED] : [],
    };
  },
});

const unset = command({
  name: 'unset',
  description: 'Removes retention periods of an organization. Data without a period is kept until a command erases it.',
  args,
  json: periodsJson,
  help: `Give ${AT_LEAST_ONE}.`,
  options: forEachKind((kind) => flag(MEANINGS[kind][0], `remove the ${MEANINGS[kind][1].split(',')[0]}`)),
  check: checkPeriods,
  run: async ({ orgId, ...input }) => {
    const periods = await change(
      orgId,
      forEachKind((kind) => (input[kind] ? null : undefined)),
    );
    return { json: { retention: periods }, text: periodFields(periods) };
  },
});

const run = command({
  name: 'run',
  description: 'Immediately erases data that is older than its retention period, without waiting for the daily run.',
  args,
  json:
    'one JSON object: the numbers of leads, calls and recordings for each outcome that occurred, such as ' +
    '`leads_erased`, `calls_in_progress` (a later run erases them) or `recordings_failed`; with --dry-run, only ' +
    '`due` (the numbers of leads, calls and recordings that would be erased)',
  help: VOICE_KEY_HELP,
  options: { dryRun, yes },
  run: async ({ orgId, dryRun: isDryRun, yes: isConfirmed }, { confirm, stage }) => {
    const { retention: periods } = await requireOrganization(orgId);
    const due = await countDue(duePorts(), orgId, periods);
    if (isDryRun) return { json: { due }, text: `${dueText(due)} would be erased.`, notes: [NOTHING_CHANGED] };
    if (!isNothing(due)) await confirm(`Erase ${dueText(due)} permanently?`, isConfirmed);
    const failures: unknown[] = [];
    const log = createErrorLogger((_, cause) => void failures.push(cause));
    const counts = new Map<RetentionOutcome, number>();
    const count = (what: RetentionOutcome) => void counts.set(what, (counts.get(what) ?? 0) + 1);
    const ports = retentionPorts(operatorVoiceProvider(stage), log);
    await enforceOrganizationRetention(ports, { orgId, count, endMs: Number.POSITIVE_INFINITY });
    const [failure] = failures;
    return {
      json: Object.fromEntries(counts),
      text:
        counts.size === 0
          ? 'There was no data to erase.'
          : new Fields(...[...counts].map(([what, times]) => [what.replaceAll('_', ' '), times] as const)),
      error:
        failure === undefined
          ? undefined
          : `Not everything could be erased: run the command again. ${toUserMessage(failure)}`,
    };
  },
});

const change = async (orgId: string, changes: PeriodChanges): Promise<RetentionPeriods> =>
  (await changePeriods(orgId, changes)) ?? throwUnknownOrganization(orgId);

const periodFields = ({ leadDays, callDays, recordingDays }: RetentionPeriods) =>
  new Fields(
    ['leads', daysText(leadDays, 'after their last submit')],
    ['calls', daysText(callDays, 'after they were opened')],
    ['recordings', daysText(recordingDays, 'after their calls were opened')],
  );

const daysText = (days: number | undefined, after: string): string =>
  days === undefined ? 'no period' : `${formatCount(days, 'day')} ${after}`;

const isNothing = ({ leads, calls, recordings }: DueCounts): boolean => leads + calls + recordings === 0;

const dueText = ({ leads, calls, recordings }: DueCounts): string =>
  formatList([formatCount(leads, 'lead'), formatCount(calls, 'call'), formatCount(recordings, 'recording')]);

const nextRun = (due: DueCounts): string =>
  isNothing(due)
    ? 'With these periods, the next run has no data to erase.'
    : `With these periods, the next run, within a day, will erase ${dueText(due)} permanently.`;

export const retention = group(
  'retention',
  'Retention periods of organizations: show, set, unset and apply them.',
  [show, set, unset, run],
  `Every day, the function background/enforce-retention erases data that is older
than its period. "retention run" does this immediately for one organization.
A funnel can have its own period for its leads. The shorter of this period and
the organization's period then applies. If a publication lengthens or removes
the funnel's period, the earlier period still applies to each stored lead until
the next submit of the lead.
Data without any period is kept until a command erases it.`,
);
