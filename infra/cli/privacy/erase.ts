import { withMaintenancePorts } from '../analytics/dependencies.ts';
import type { CommandContext } from '../program/command.ts';
import { toUserMessage } from '../program/user-message.ts';
import { removeCopies, resolveCopiesFolder } from '../query/download-lake.ts';
import { formatCount } from '../terminal/format.ts';
import { type Output, table } from '../terminal/output.ts';
import { NOTHING_CHANGED } from '../terminal/terminal.ts';
import { createEraseLeadPorts, type FindPersonInput, findPersonPorts, requireMatches } from './dependencies.ts';
import { erasePersonData, type FunnelErasure, NOTHING, planPersonErasure, type RemovedCounts } from './erase-person.ts';

/** Erases the data of a person. A dry run reports what would be erased. The command fails if an erasure fails. */
export async function runErase(
  person: FindPersonInput,
  { dryRun, yes }: { dryRun: boolean; yes: boolean },
  context: CommandContext,
): Promise<Output> {
  const { terminal, confirm, stage, indexDelayMs } = context;
  const found = await requireMatches(findPersonPorts(indexDelayMs), person);
  return withMaintenancePorts('privacy erase', terminal, async (analytics) => {
    const ports = { ...createEraseLeadPorts(), analytics };
    const { orgId } = person;
    if (dryRun) return report(await planPersonErasure(ports, orgId, found), { dryRun, stage });
    if (!yes) {
      const plan = await planPersonErasure(ports, orgId, found);
      const counts = totalOf(plan);
      if (isNothing(counts)) return report(plan, { dryRun, stage });
      await confirm(`Erase permanently: ${describeCounts(counts)}?`, yes);
    }
    const done = await Array.fromAsync(erasePersonData(ports, orgId, found));
    await removeCopies(resolveCopiesFolder(context));
    return report(done, { dryRun, stage });
  });
}

const isNothing = ({ leads, sessions }: RemovedCounts): boolean => leads + sessions === 0;

function report(
  funnels: readonly FunnelErasure[],
  { dryRun, stage }: { dryRun: boolean; stage: string | undefined },
): Output {
  const total = totalOf(funnels);
  const failures = funnels.filter(({ failure }) => failure !== undefined);
  const leadsSearched = funnels.reduce((sum, funnel) => sum + funnel.leadsSearched, 0);
  const limits = stage === undefined ? [...LIMITS, LOCAL_LIMIT] : LIMITS;
  const nothing = `Nothing was found${dryRun ? '' : ' or changed'}.`;
  const done = `${dryRun ? 'Found' : 'Erased'}: ${describeCounts(total)}.${dryRun ? ` ${NOTHING_CHANGED}` : ''}`;
  const hasResult = failures.length === 0 && !isNothing(total);
  return {
    json: { dryRun, leadsSearched, ...total, funnels: funnels.map(toJsonFields), endsByItself: limits },
    text: failures.length === 0 && isNothing(total) ? undefined : funnelTable(funnels),
    notes: [
      `Searched ${formatCount(leadsSearched, 'lead')} in ${formatCount(funnels.length, 'funnel')}.`,
      ...(failures.length > 0 ? [] : [hasResult ? done : nothing]),
    ],
    trailer: hasResult && !dryRun ? limits.map((line) => `- ${line}`) : [],
    error: failures.length > 0 ? describeRest(total, failures) : undefined,
  };
}

const totalOf = (funnels: readonly RemovedCounts[]): RemovedCounts => {
  const total = { ...NOTHING };
  for (const funnel of funnels)
    for (const kind of Object.keys(total) as (keyof RemovedCounts)[]) total[kind] += funnel[kind];
  return total;
};

function describeCounts({ leads, files, sharedFiles, sessions, events }: RemovedCounts): string {
  const kinds = [formatCount(leads, 'lead'), formatCount(files, 'file'), formatCount(sessions, 'session')];
  const shared = sharedFiles === 0 ? '' : `; kept for other leads: ${formatCount(sharedFiles, 'file')}`;
  return `${kinds.join(', ')} with ${formatCount(events, 'event')}${shared}`;
}

const funnelTable = (funnels: readonly FunnelErasure[]) =>
  table(
    funnels.filter(({ leads, leadsLeft, sessions }) => leads + leadsLeft + sessions > 0),
    [
      { head: 'FUNNEL', width: 36, value: ({ funnelId }) => funnelId },
      { head: 'SEARCHED', width: 9, align: 'right', value: ({ leadsSearched }) => leadsSearched },
      { head: 'LEADS', width: 5, align: 'right', value: ({ leads }) => leads },
      { head: 'FILES', width: 5, align: 'right', value: ({ files }) => files },
      { head: 'SESSIONS', width: 8, align: 'right', value: ({ sessions }) => sessions },
      { head: 'EVENTS', align: 'right', value: ({ events }) => events },
    ],
  );

const toJsonFields = ({ failure, ...funnel }: FunnelErasure) => ({
  ...funnel,
  failure: failure === undefined ? null : toUserMessage(failure),
});

function describeRest(total: RemovedCounts, failures: readonly FunnelErasure[]): string {
  const left = failures.map(
    ({ funnelId, leadsLeft, failure }) =>
      `data in funnel ${funnelId}, including ${formatCount(leadsLeft, 'lead')} (${toUserMessage(failure)})`,
  );
  return `Erased: ${describeCounts(total)}. Not erased: ${left.join('; ')}. Repeat the command to continue.`;
}

/** Data that an erasure does not erase, or erases later. Operators need this list for their response to the person. */
const LIMITS = [
  'Browsers that still use the handle of an erased lead get an error. The id of an erased lead is stored for 38 days ' +
    'without personal data, so that late events of the lead are found.',
  'For 38 days, late events of the erased sessions are not counted, and are removed from the raw events within a ' +
    'day. The same applies to a session in which only a late event names an erased lead. The next erasure in the ' +
    'funnel removes the earlier data of this session. Replaced fact files are deleted within two hours.',
  'Results of Athena queries are stored for 7 days in the results bucket; delete copies that analysts made of them.',
  'The event stream stores records for up to 7 days; backups of the tables store data for up to 35 days.',
  'If a file was uploaded in the last 16 minutes or is not inspected yet, its record stays without the file name, ' +
    'and is removed within 30 minutes. Uploads that no lead ever referred to are removed 7 days after the upload, ' +
    'because they cannot be attributed to a person.',
  'Counters of rate limits contain keyed hashes of addresses for at most a day. Logs contain no personal data.',
  'Messages with codes are in the inboxes of their recipients and in the logs of the mail and SMS services. ' +
    'Exported files remain where they were written.',
  'Training calls belong to members, not to leads: erase them with "training calls erase".',
];

const LOCAL_LIMIT =
  'The local mailbox stores its latest 1,000 messages, with addresses and codes: ' +
  '"npm start -- --reset" deletes them with all other data.';
