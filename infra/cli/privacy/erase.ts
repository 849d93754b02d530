import { UserError } from '../../common/user-error.ts';
import { withUpkeep } from '../analytics/dependencies.ts';
import { toUserMessage } from '../program/user-message.ts';
import { copiesFolder, removeCopies } from '../query/download-lake.ts';
import { confirm } from '../terminal/confirm.ts';
import { formatCount } from '../terminal/format.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { eraseLeadStores, findStores, foundOf } from './dependencies.ts';
import {
  type ErasePersonPorts,
  erasePersonData,
  type FunnelErasure,
  planPersonErasure,
  type RemovedCounts,
} from './erase-person.ts';
import type { FindPersonInput, PersonMatches } from './find-person.ts';
import type { PersonOptions } from './person-options.ts';

export type EraseOptions = PersonOptions & { dryRun?: true; yes?: true };

/** Erases a person, or tells what that would remove. @throws FriendlyError when some is left */
export async function erasePerson(
  asked: FindPersonInput,
  options: EraseOptions,
  indexDelayMs: number,
  terminal: Terminal,
) {
  const found = await foundOf(findStores(indexDelayMs), asked);
  await withUpkeep('leads erase', terminal, async (analytics) => {
    const ports = { ...eraseLeadStores(), analytics };
    const { orgId } = asked;
    if (options.dryRun) return tell(await planPersonErasure(ports, orgId, found), options, terminal);
    if (!(await agree(ports, orgId, found, options, terminal))) return;
    const done: FunnelErasure[] = [];
    for await (const inFunnel of erasePersonData(ports, orgId, found)) done.push(inFunnel);
    await removeCopies(copiesFolder(options));
    await tell(done, options, terminal);
  });
}

/** Asks with the counts of what would be removed. @returns false when that is nothing, which it reports */
async function agree(
  ports: ErasePersonPorts,
  orgId: string,
  found: readonly PersonMatches[],
  options: EraseOptions,
  terminal: Terminal,
): Promise<boolean> {
  const { yes } = options;
  if (yes) return true;
  const plan = await planPersonErasure(ports, orgId, found);
  const counts = totalOf(plan);
  if (isNothing(counts)) {
    await tell(plan, options, terminal);
    return false;
  }
  await confirm(terminal, `Erase ${kindsText(counts)} for good, from every store?`, yes);
  return true;
}

const isNothing = ({ leads, sessions }: RemovedCounts): boolean => leads + sessions === 0;

async function tell(funnels: readonly FunnelErasure[], options: EraseOptions, { write, note, columns }: Terminal) {
  const { dryRun, json } = options;
  const total = totalOf(funnels);
  const failures = funnels.filter(({ failure }) => failure !== undefined);
  const lookedAt = funnels.reduce((sum, funnel) => sum + funnel.leadsSearched, 0);
  if (json) {
    const found = { dryRun: dryRun === true, lookedAt, ...total, funnels: funnels.map(jsonOf) };
    await write(`${JSON.stringify({ ...found, endsByItself: endsOf(options) })}\n`);
  } else if (!isNothing(total) || failures.length > 0) {
    await write(funnelsText(funnels, columns));
  }
  note(`${formatCount(lookedAt, 'lead')} of ${formatCount(funnels.length, 'funnel')} looked at.`);
  if (failures.length > 0) throw new UserError(leftText(total, failures));
  if (isNothing(total)) return note(`Nothing was found${dryRun ? '' : ' or changed'}.`);
  note(`${dryRun ? 'Found' : 'Erased'}: ${kindsText(total)}.${dryRun ? ' Nothing was changed.' : ''}`);
  if (!dryRun && !json) for (const line of endsOf(options)) note(`- ${line}`);
}

const totalOf = (funnels: readonly RemovedCounts[]): RemovedCounts => {
  const sum = (of: keyof RemovedCounts) => funnels.reduce((total, funnel) => total + funnel[of], 0);
  return {
    ...{ leads: sum('leads'), files: sum('files'), sharedFiles: sum('sharedFiles') },
    ...{ sessions: sum('sessions'), events: sum('events'), facts: sum('facts') },
  };
};

function kindsText({ leads, files, sharedFiles, sessions, events }: RemovedCounts): string {
  const kinds = [formatCount(leads, 'lead'), formatCount(files, 'file'), formatCount(sessions, 'session')];
  const shared = sharedFiles === 0 ? '' : `; ${formatCount(sharedFiles, 'file')} of other leads too only forget theirs`;
  return `${kinds.join(', ')} with ${formatCount(events, 'event')}${shared}`;
}

function funnelsText(funnels: readonly FunnelErasure[], columns: number | undefined): string {
  const head = ['FUNNEL', 'LOOKED AT', 'LEADS', 'FILES', 'SESSIONS', 'EVENTS'];
  const aligns = head.map((_, at) => (at === 0 ? 'left' : 'right'));
  const rows = funnels
    .filter(({ leads, leadsLeft: leftLeads, sessions }) => leads + leftLeads + sessions > 0)
    .map(({ funnelId, leadsSearched: lookedAt, leads, files, sessions, events }) => [
      funnelId,
      ...[lookedAt, leads, files, sessions, events].map((count) => count.toLocaleString('en')),
    ]);
  return formatTable({ head, widths: [36, 9, 5, 5, 8], columns, aligns }, rows);
}

const jsonOf = ({ failure, ...funnel }: FunnelErasure) => ({
  ...funnel,
  failure: failure === undefined ? null : toUserMessage(failure),
});

function leftText(total: RemovedCounts, failures: readonly FunnelErasure[]): string {
  const left = failures.map(
    ({ funnelId, leadsLeft: leftLeads, failure }) =>
      `${formatCount(leftLeads, 'lead')} of funnel ${funnelId} and what belongs to them (${toUserMessage(failure)})`,
  );
  return `Erased: ${kindsText(total)}. Left: ${left.join('; ')}. The same command goes on.`;
}

const endsOf = ({ stage }: EraseOptions): string[] => (stage === undefined ? [...ENDS, HERE] : ENDS);

/** What no command reaches, or is not done at once. Shown after an erasure, for whoever answers the person. */
const ENDS = [
  'Pages that still hold a handle of an erased lead are told that there is none. For a day a lead’s id is remembered, without anything else, so that a page that repeats its first submit does not bring it back.',
  'What comes late of these sessions counts nowhere, and goes from raw events within a day, for 38 days: also of sessions that name an erased lead only then; what was counted of those before goes with the funnel’s next erasure. Replaced fact files go for good within two hours.',
  'Results of Athena queries stay for 7 days in the bucket of results; delete copies that analysts made of them.',
  'The event stream keeps what passed for 7 days; backups of the tables keep what was in them for 35 days.',
  'A file whose upload was less than an hour ago, or that is being looked at, leaves a record without its name, which goes within 75 minutes. Uploads that no lead ever referred to go 7 days after they came: nobody knows whose they are.',
  'Counters of rate limits hold keyed hashes of addresses, for a day at most. Logs hold no personal data.',
  'Messages with codes are with their recipients and the senders’ own logs. Exported files are with whoever exported them.',
  'Training calls are of members, not of leads: training calls erase.',
];

const HERE =
  'The mailbox of this machine keeps its latest 1,000 messages, with addresses and codes: npm start -- --reset forgets them with all else.';
