import { UserError } from '../../common/user-error.ts';
import { command, flag, group, option, repeatable, usageError } from '../program/command.ts';
import { dryRun, funnelArgument, parseUuid, yes } from '../program/parameters.ts';
import { removeCopies, resolveCopiesFolder } from '../query/download-lake.ts';
import { formatBytes, formatCount, formatDuration, formatTime } from '../terminal/format.ts';
import { Fields, table, toJson } from '../terminal/output.ts';
import { NOTHING_CHANGED } from '../terminal/terminal.ts';
import { deadLetters, redrive } from './dead-letters/commands.ts';
import { requireFunnel, statusStores, withMaintenancePorts } from './dependencies.ts';
import { type ErasureCounts, eraseSessions } from './erasure/erase-sessions.ts';
import { type AnalyticsStatus, readAnalyticsStatus } from './read-analytics-status.ts';
import { hasLosses, type RebuildDiff } from './rebuild/rebuild-diff.ts';
import { type RebuildResult, rebuildFacts } from './rebuild/rebuild-facts.ts';

const args = { funnelId: funnelArgument };

const status = command({
  name: 'status',
  description:
    'Shows the fresh facts and fact files of a funnel, and the time up to which the files contain all facts.',
  args,
  json:
    'one JSON object: `fresh`, `level1`, `base`, `completeUntilMs` (Unix time in milliseconds), `version`, ' +
    '`generation`, `retired`, `unlisted`, `erasedSessions`, `deadLetters`, `deliveryErrors`',
  help: `A fact summarizes events of one session. Fresh facts are new facts, which are in a table.
Compactions move fresh facts to level 1 files, and facts from level 1 files to base files.
The manifest lists the fact files of the funnel. Each change of the manifest increases its version.
Each erasure or rebuild of facts also increases the generation of the manifest.
Retired files were replaced, and are deleted when no read can use them any more.
Unlisted files are not in the manifest. A process that is still running, or that crashed, wrote them.
Erased sessions are sessions that were erased in the last 38 days.
Events of these sessions that arrive after the erasure are not counted.
Dead letters are records of the event stream that could not be decoded.
Delivery errors are objects with records that Firehose could not store as raw events.
Delivery errors and dead letters are counted for all funnels.`,
  run: async ({ funnelId }) => {
    await requireFunnel(funnelId);
    const found = await readAnalyticsStatus(statusStores(), funnelId);
    const { fresh, completeUntilMs, unlisted } = found;
    const age = fresh.oldestMs === null ? '' : `, the oldest stored ${formatDuration(Date.now() - fresh.oldestMs)} ago`;
    return {
      json: found,
      text: new Fields(
        ['fresh facts', `${fresh.facts.toLocaleString('en')}${age}`],
        ['level 1', levelText(found.level1)],
        ['base', levelText(found.base)],
        ['complete until', completeUntilMs === null ? 'not known' : formatTime(completeUntilMs)],
        ['manifest', `version ${found.version}, generation ${found.generation}`],
        ['retired', `${formatCount(found.retired, 'file')}, no longer used by new reads`],
        ['unlisted', `${formatCount(unlisted.files, 'file')}, ${formatBytes(unlisted.bytes)}`],
        ['erased', `${formatCount(found.erasedSessions, 'session')} whose late events are not counted`],
        [
          'dead letters',
          `${formatCount(found.deadLetters, 'record')} of all funnels: see "analytics dead-letters list"`,
        ],
        [
          'delivery errors',
          `${formatCount(found.deliveryErrors, 'object')} of all funnels, with events not stored as raw events`,
        ],
      ),
    };
  },
});

function levelText({ files, sessions, bytes, lastMs }: AnalyticsStatus['base']): string {
  if (files === 0) return 'no files';
  const size = `${formatCount(files, 'file')}, ${formatCount(sessions, 'session')}, ${formatBytes(bytes)}`;
  return `${size}; last written ${formatTime(lastMs)}`;
}

/**
 * Assumed maximum time from the arrival of an event on the stream until a raw file contains the event. Firehose buffers
 * for 5 minutes; the rest is a margin for retries. The local stand-in of Firehose needs seconds.
 */
const MARGIN_MS = { deployed: 15 * 60_000, local: 60_000 };

const rebuild = command({
  name: 'rebuild',
  description: "Rebuilds a funnel's facts from its raw events, without interrupting reads and ingest.",
  args,
  json:
    'one JSON object: `outcome`; for "rebuilt", "declined" and "refused", also `comparison` (of the current facts ' +
    'with the rebuilt facts); for "rebuilt", also `files`, `replaced` and `kept` (numbers of new, replaced and kept ' +
    'files); for "too early", also `waitMs` (milliseconds after which to run the command again)',
  help: `Outcomes:
  rebuilt     the facts were replaced
  declined    nothing was changed, because of --dry-run
  refused     nothing was changed, because data would be lost (see
              --accept-loss)
  too early   nothing was changed, because events of the newest base file may
              not be among the raw events yet
  superseded  nothing was changed, because another process changed the facts of
              the funnel at the same time, or writing the files took too long
The exit code is 0 if the outcome is rebuilt or declined, otherwise 1.`,
  options: {
    acceptLoss: flag('--accept-loss', 'rebuild even if the rebuild loses data that only the current facts contain'),
    dryRun,
    yes,
  },
  run: async ({ funnelId, acceptLoss, dryRun: isDryRun, yes: isConfirmed }, context) => {
    const { terminal, stage } = context;
    await requireFunnel(funnelId);
    const confirm = async (comparison: RebuildDiff) => {
      if (!context.json) await terminal.write(comparisonText(comparison));
      if (isDryRun) return false;
      if (hasLosses(comparison) && !acceptLoss) {
        if (context.json) await terminal.write(`${toJson({ outcome: 'refused', comparison })}\n`);
        throw new UserError(
          `A rebuild of the facts of the funnel ${funnelId} would lose data: the current facts contain data that the ` +
            'raw events do not contain, or a fact file cannot be read. ' +
            `${NOTHING_CHANGED} To rebuild anyway, add --accept-loss.`,
        );
      }
      await context.confirm('Replace the current facts with the rebuilt ones?', isConfirmed);
      return true;
    };
    const marginMs = stage === undefined ? MARGIN_MS.local : MARGIN_MS.deployed;
    const done = await withMaintenancePorts('analytics rebuild', terminal, (ports) =>
      rebuildFacts(ports, funnelId, { marginMs, confirm }),
    );
    const { note, error } = describeResult(done);
    return { json: done, notes: note === undefined ? [] : [note], error };
  },
});

function describeResult(done: RebuildResult): { note?: string; error?: string } {
  switch (done.outcome) {
    case 'rebuilt': {
      const kept = done.kept === 0 ? '' : ` Kept ${formatCount(done.kept, 'recent file')}.`;
      const [old, added] = [formatCount(done.replaced, 'file'), formatCount(done.files, 'new file')];
      return { note: `Rebuilt the facts: replaced ${old} with ${added}.${kept}` };
    }
    case 'declined':
      return { note: NOTHING_CHANGED };
    case 'too early':
      return {
        error:
          'The newest base file may contain events that no raw file contains yet: ' +
          `try again in ${formatDuration(done.waitMs)}. ${NOTHING_CHANGED}`,
      };
    case 'superseded':
      return {
        error:
          'Another process compacted, rebuilt or erased facts of the funnel at the same time, or writing the new ' +
          `files took too long: try again. ${NOTHING_CHANGED}`,
      };
  }
}

function comparisonText(of: RebuildDiff): string {
  const rows: [what: string, lost: number, found: number][] = [
    ['sessions', of.lost, of.found],
    ['starts', of.startsLost, of.startsFound],
    ['completions', of.completionsLost, of.completionsFound],
    ['first events', of.firstEventsLost, of.firstEventsFound],
  ];
  const counts = table(rows, [
    { head: '', value: ([what]) => what },
    { head: 'ONLY IN FACTS', align: 'right', value: ([, lost]) => lost },
    { head: 'ONLY IN RAW EVENTS', align: 'right', value: ([, , found]) => found },
  ]);
  const sums = `${formatCount(of.before, 'session')} now, ${of.after.toLocaleString('en')} after the rebuild.\n`;
  const unreadable = formatCount(of.filesUnreadable, 'fact file');
  const lost = `${unreadable} missing or damaged: sessions that only these files contain would be lost.\n`;
  return `${counts.render(undefined)}${sums}${of.filesUnreadable === 0 ? '' : lost}`;
}

const parseSession = (given: string): string => {
  // No session has an empty id. Without this check, the command would store a useless tombstone.
  if (given === '') throw usageError('Give a session id that is not empty.');
  return given;
};

const erase = command({
  name: 'erase',
  description:
    'Erases sessions permanently from fresh facts, fact files, raw events, dead letters and delivery errors.',
  args,
  json:
    'one JSON object: `requestedSessions` (number of sessions that --session and --lead select), `sessions` (number ' +
    'of all sessions that the command checks), and the numbers of erased facts, files and events by store',
  options: {
    session: repeatable('--session <id>', 'erase the session with this id', parseSession),
    lead: option('--lead <id>', 'erase all sessions with an event that names this lead id', parseUuid('lead')),
    dryRun,
    yes,
  },
  help: `The command also completes failed erasures in the funnel.
For this, the command checks all sessions that were erased in the last 38 days.
Without --session and --lead, the command only completes failed erasures.
A dry run with --session or --lead checks only the sessions that these options select.
Backups of the tables keep the erased data for 35 days.`,
  run: async (
    { funnelId, session, lead, dryRun: isDryRun, yes: isConfirmed },
    { terminal, confirm, ...environment },
  ) => {
    await requireFunnel(funnelId);
    const selection = { sessionIds: session, leadIds: lead === undefined ? [] : [lead] };
    if (!isDryRun) await confirm('Permanently erase the selected sessions, and complete failed erasures?', isConfirmed);
    const erased = await withMaintenancePorts('analytics erase', terminal, (ports) =>
      eraseSessions(ports, funnelId, selection, { dryRun: isDryRun }),
    );
    if (!isDryRun) await removeCopies(resolveCopiesFolder(environment));
    return {
      json: erased,
      text: erasureFields(erased),
      notes: [
        ...(isNothing(erased) ? ['No data of these sessions was found: it is already erased, or an id is wrong.'] : []),
        isDryRun ? NOTHING_CHANGED : LATER,
      ],
    };
  },
});

const LATER = `Replaced fact files are deleted within two hours.
Late events of these sessions are not counted, and are removed from the raw events within a day.
If "npm run query" has copies on another machine, the next query on that machine removes them.`;

const isNothing = ({ sessions, requestedSessions: _, ...found }: ErasureCounts): boolean =>
  sessions > 0 && Object.values(found).every((count) => count === 0);

const erasureFields = (of: ErasureCounts): Fields =>
  new Fields(
    ['sessions', of.requestedSessions],
    [
      'also completed',
      of.sessions > of.requestedSessions
        ? `${formatCount(of.sessions - of.requestedSessions, 'session')} of earlier erasures`
        : undefined,
    ],
    ['fresh facts', of.freshFacts],
    ['fact files', `${formatCount(of.facts, 'fact')} in ${formatCount(of.factFiles, 'file')}`],
    ['other files', `${formatCount(of.unlistedFiles, 'unlisted file')}, ${formatCount(of.oldVersions, 'old version')}`],
    ['raw events', `${formatCount(of.events, 'event')} in ${formatCount(of.rawFiles, 'file')}`],
    ['dead letters', formatCount(of.deadLetterEvents, 'event')],
    ['delivery errors', formatCount(of.deliveryErrorEvents, 'event')],
  );

export const analytics = group('analytics', 'Analytics: status, dead letters, rebuilds and erasures.', [
  ...[status, deadLetters, redrive, rebuild, erase],
]);
