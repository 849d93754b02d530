import { UserError } from '../../common/user-error.ts';
import { formatCount, formatDuration } from '../terminal/format.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { confirm } from '../terminal/terminal.ts';
import { knownFunnel, withUpkeep } from './dependencies.ts';
import { hasLosses, type RebuildDiff } from './rebuild/rebuild-diff.ts';
import { type RebuildResult, rebuildFacts } from './rebuild/rebuild-facts.ts';

export type RebuildOptions = { dryRun?: true; acceptLoss?: true; yes?: true; json?: true; stage?: string | undefined };

/** What an event takes from the stream to a raw file at most: Firehose buffers 5 minutes and may try again, a laptop some seconds. */
const MARGIN_MS = { deployed: 15 * 60_000, local: 60_000 };

export async function rebuildFunnel(funnelId: string, options: RebuildOptions, terminal: Terminal): Promise<void> {
  await knownFunnel(funnelId);
  const marginMs = options.stage === undefined ? MARGIN_MS.local : MARGIN_MS.deployed;
  const agree = async (comparison: RebuildDiff) => {
    if (!options.json) await terminal.write(comparisonText(comparison));
    if (options.dryRun) return false;
    if (hasLosses(comparison) && !options.acceptLoss) {
      if (options.json) await terminal.write(`${JSON.stringify({ outcome: 'refused', comparison })}\n`);
      throw new UserError(LOSS);
    }
    await confirm(terminal, 'Put the rebuilt facts in the place of the present ones?', options.yes);
    return true;
  };
  const done = await withUpkeep('analytics rebuild', terminal, (ports) =>
    rebuildFacts(ports, funnelId, { marginMs, confirm: agree }),
  );
  if (options.json) await terminal.write(`${JSON.stringify(done)}\n`);
  terminal.note(sentenceOf(done));
}

const LOSS =
  'The raw events know less than the present facts: a rebuild would forget it, so nothing was changed. With --accept-loss the raw events are believed.';

/** @throws FriendlyError when nothing could be done */
function sentenceOf(done: RebuildResult): string {
  switch (done.outcome) {
    case 'rebuilt': {
      const kept =
        done.kept === 0 ? '' : ` ${formatCount(done.kept, 'young file')} stay${done.kept === 1 ? 's' : ''} beside.`;
      return `Rebuilt: ${formatCount(done.files, 'file')} in the place of ${done.replaced}.${kept}`;
    }
    case 'declined':
      return 'Nothing was changed.';
    case 'too early':
      throw new UserError(
        `The newest base file may hold what no raw file holds yet: try again in ${formatDuration(done.waitMs)}. Nothing was changed.`,
      );
    case 'overtaken':
      throw new UserError('The facts were compacted, rebuilt or erased meanwhile: try again. Nothing was changed.');
  }
}

function comparisonText(of: RebuildDiff): string {
  const rows: [string, number, number][] = [
    ['sessions', of.lost, of.found],
    ['starts', of.startsLost, of.startsFound],
    ['completions', of.completionsLost, of.completionsFound],
    ['first events', of.firstEventsLost, of.firstEventsFound],
  ];
  const head = ['', 'ONLY IN FACTS', 'ONLY IN RAW EVENTS'];
  const aligns = ['left', 'right', 'right'] as const;
  const cells = rows.map(([what, lost, found]) => [what, lost.toLocaleString('en'), found.toLocaleString('en')]);
  const sums = `${formatCount(of.before, 'session')} now, ${of.after.toLocaleString('en')} rebuilt.\n`;
  return `${formatTable({ head, aligns, widths: [], columns: undefined }, cells)}${sums}`;
}
