import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { removeCopies, resolveCopiesFolder } from '../query/download-lake.ts';
import { formatCount, formatFields } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { confirm } from '../terminal/terminal.ts';
import { knownFunnel, withUpkeep } from './dependencies.ts';
import { type ErasureCounts, eraseSessions } from './erasure/erase-sessions.ts';

export type EraseOptions = { session: readonly string[]; lead?: string; dryRun?: true; yes?: true; json?: true };

export async function runEraseCommand(
  funnelId: string,
  options: EnvironmentOptions & EraseOptions,
  terminal: Terminal,
): Promise<void> {
  await knownFunnel(funnelId);
  const asked = { sessionIds: options.session, leadIds: options.lead === undefined ? [] : [options.lead] };
  if (!options.dryRun) await confirm(terminal, 'Erase this for good, from every store?', options.yes);
  const erased = await withUpkeep('analytics erase', terminal, (ports) =>
    eraseSessions(ports, funnelId, asked, { dryRun: options.dryRun === true }),
  );
  if (!options.dryRun) await removeCopies(resolveCopiesFolder(options));
  await terminal.write(options.json ? `${JSON.stringify(erased)}\n` : erasedText(erased));
  if (isNothing(erased)) terminal.note('Nothing of these sessions was found: are the ids right?');
  terminal.note(options.dryRun ? 'Nothing was changed.' : LATE);
}

const LATE =
  'Replaced fact files go for good within two hours. What still comes late of these sessions counts nowhere, and goes from raw events within a day. Copies that npm run query keeps on other machines go with the next query there.';

/** Of no store anything. */
const isNothing = ({ sessions, requestedSessions: _, ...found }: ErasureCounts): boolean =>
  sessions > 0 && Object.values(found).every((count) => count === 0);

const erasedText = (of: ErasureCounts): string =>
  formatFields([
    ['sessions', of.requestedSessions.toLocaleString('en')],
    ...(of.sessions > of.requestedSessions
      ? [
          [
            'completed too',
            `${formatCount(of.sessions - of.requestedSessions, 'session')} of earlier erasures`,
          ] as const,
        ]
      : []),
    ['fresh facts', of.freshFacts.toLocaleString('en')],
    ['fact files', `${formatCount(of.facts, 'fact')} in ${formatCount(of.factFiles, 'file')}`],
    ['other files', `${formatCount(of.unlistedFiles, 'unlisted file')}, ${formatCount(of.oldVersions, 'old version')}`],
    ['raw events', `${formatCount(of.events, 'event')} in ${formatCount(of.rawFiles, 'file')}`],
    ['set aside', formatCount(of.setAsideEvents, 'event')],
    ['not kept', formatCount(of.unkeptEvents, 'event')],
  ]);
