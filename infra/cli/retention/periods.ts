import type { RetentionPeriods } from '../../../shared/organizations/organization.ts';
import { UserError } from '../../common/user-error.ts';
import { recordsClient } from '../environment/records-client.ts';
import { requireOrganization, throwUnknownOrganization } from '../organizations/dependencies.ts';
import { confirm } from '../terminal/confirm.ts';
import { formatFields } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { applyPeriodChanges, changePeriods, type PeriodChanges } from './change-periods.ts';
import { countDue, type DueCounts } from './count-due.ts';
import { duePorts } from './dependencies.ts';
import { createDynamoRetentionPeriodRepository } from './dynamo-retention-period-repository.ts';
import { dueText, isNothing } from './format.ts';

type Json = { json?: true };
export type ShowOptions = Json & { preview?: true };
export type ChangeOptions = Json & { dryRun?: true; yes?: true } & { [Kind in keyof RetentionPeriods]?: number | true };

/** An organization's periods, and what they mean for the next run. */
export async function showPeriods(orgId: string, { preview, json }: ShowOptions, { write }: Terminal): Promise<void> {
  const { retention } = await requireOrganization(orgId);
  const due = preview && (await countDue(duePorts(), orgId, retention));
  await write(json ? jsonOf({ retention, due }) : `${periodsText(retention)}${due ? `\n${nextRun(due)}\n` : ''}`);
}

/** @throws FriendlyError when nothing was given, or the person does not agree to what goes */
export async function setPeriods(orgId: string, options: ChangeOptions, terminal: Terminal): Promise<void> {
  const changes = changesIn(options, (days) => (typeof days === 'number' ? days : undefined));
  const { retention } = await requireOrganization(orgId);
  const next = applyPeriodChanges(retention, changes);
  const due = await countDue(duePorts(), orgId, next);
  if (!options.dryRun) {
    if (!isNothing(due)) await confirm(terminal, `${nextRun(due)} Set these periods?`, options.yes);
    await change(orgId, changes);
  }
  await terminal.write(options.json ? jsonOf({ retention: next, due }) : `${periodsText(next)}\n${nextRun(due)}\n`);
  if (options.dryRun) terminal.note('Nothing was changed.');
}

/** @throws FriendlyError when nothing was given */
export async function unsetPeriods(orgId: string, options: ChangeOptions, { write }: Terminal): Promise<void> {
  const retention = await change(
    orgId,
    changesIn(options, (given) => (given ? null : undefined)),
  );
  await write(options.json ? jsonOf({ retention }) : periodsText(retention));
}

const change = async (orgId: string, changes: PeriodChanges): Promise<RetentionPeriods> =>
  (await changePeriods(createDynamoRetentionPeriodRepository(recordsClient()), orgId, changes)) ??
  throwUnknownOrganization(orgId);

function changesIn(
  { leadDays, callDays, recordingDays }: ChangeOptions,
  changeOf: (given: number | true | undefined) => number | null | undefined,
): PeriodChanges {
  if ((leadDays ?? callDays ?? recordingDays) === undefined) {
    throw new UserError('Nothing was changed: give --lead-days, --call-days, --recording-days, or several.');
  }
  return {
    leadDays: changeOf(leadDays),
    callDays: changeOf(callDays),
    recordingDays: changeOf(recordingDays),
  };
}

const periodsText = ({ leadDays, callDays, recordingDays }: RetentionPeriods): string =>
  formatFields([
    ['leads', daysText(leadDays, 'after their last submit')],
    ['calls', daysText(callDays, 'after they were opened')],
    ['recordings', daysText(recordingDays, 'after their calls were opened')],
  ]);

const daysText = (days: number | undefined, after: string): string =>
  days === undefined
    ? 'kept until somebody erases them'
    : `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'} ${after}`;

const nextRun = (due: DueCounts): string =>
  isNothing(due) ? 'Nothing is due at the next run.' : `At the next run, within a day, ${dueText(due)} go for good.`;

const jsonOf = (value: object): string => `${JSON.stringify(value)}\n`;
