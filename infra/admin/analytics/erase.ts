import { type Erased, erase } from '../../../shared/analytics/upkeep/erase.ts';
import { confirm } from '../confirm.ts';
import type { Terminal } from '../terminal.ts';
import { knownFunnel, withUpkeep } from './stores.ts';
import { counted, linesText } from './words.ts';

export type EraseOptions = { session: readonly string[]; lead?: string; dryRun?: true; yes?: true; json?: true };

export async function eraseSessions(funnelId: string, options: EraseOptions, terminal: Terminal): Promise<void> {
  await knownFunnel(funnelId);
  const asked = { sessionIds: options.session, leadId: options.lead };
  if (!options.dryRun) await confirm(terminal, 'Erase this for good, from every store?', options.yes);
  const erased = await withUpkeep((ports) => erase(ports, funnelId, asked, { dryRun: options.dryRun === true }));
  await terminal.write(options.json ? `${JSON.stringify(erased)}\n` : erasedText(erased));
  terminal.note(options.dryRun ? 'Nothing was changed.' : LATE);
}

const LATE =
  'Replaced fact files go for good within two hours. What still comes late of these sessions counts nowhere, and goes from raw events within a day.';

const erasedText = (of: Erased): string =>
  linesText([
    ['sessions', of.sessions.toLocaleString('en')],
    ['fresh facts', of.freshFacts.toLocaleString('en')],
    ['fact files', `${counted(of.facts, 'fact')} in ${counted(of.factFiles, 'file')}`],
    ['other files', `${counted(of.unlistedFiles, 'unlisted file')}, ${counted(of.oldVersions, 'old version')}`],
    ['raw events', `${counted(of.events, 'event')} in ${counted(of.rawFiles, 'file')}`],
    ['set aside', counted(of.setAsideEvents, 'event')],
    ['not kept', counted(of.unkeptEvents, 'event')],
  ]);
