import { dynamoErasableUploads } from '../../../shared/uploads/aws/dynamo-erasable-uploads.ts';
import { withUpkeep } from '../analytics/dependencies.ts';
import { findSessionsOfPerson } from '../analytics/erasure/erase-sessions.ts';
import { leadJson } from '../leads/lead-json.ts';
import { formatCount } from '../terminal/format.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { findStores, foundOf } from './dependencies.ts';
import { writeFolder } from './export-folder.ts';
import { type ExportedCounts, exportPersonFiles } from './export-person.ts';
import type { FindPersonInput, PersonMatches } from './find-person.ts';
import type { PersonOptions } from './person-options.ts';
import { createS3FileStreams } from './s3-file-streams.ts';

export type ExportPersonOptions = PersonOptions & { out?: string };

/** Writes what is kept of a person to a folder that can be handed over. */
export async function exportPerson(
  asked: FindPersonInput,
  options: ExportPersonOptions,
  indexDelayMs: number,
  terminal: Terminal,
): Promise<void> {
  const { write, note } = terminal;
  const ports = findStores(indexDelayMs);
  const found = await foundOf(ports, asked);
  const lookedAt = found.reduce((sum, funnel) => sum + funnel.leadsSearched, 0);
  note(`${formatCount(lookedAt, 'lead')} of ${formatCount(found.length, 'funnel')} looked at.`);
  if (found.every(({ leadIds }) => leadIds.length === 0) && !(await hasSessions(found, terminal))) {
    if (options.json) await write(`${JSON.stringify({ folder: null, lookedAt, ...NOTHING })}\n`);
    return note('Nothing was found, and no folder written.');
  }
  const folder = options.out ?? `person-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}`;
  const counts: ExportedCounts = { ...NOTHING };
  await withUpkeep('leads export-person', terminal, async (analytics) => {
    const stores = { index: ports.index, uploads: dynamoErasableUploads(), ...createS3FileStreams(), analytics };
    const files = exportPersonFiles({ ...stores, leadText: (lead) => leadJson(lead) }, asked.orgId, found, counts);
    // An erasure moves events to other files, so that some would be met nowhere.
    await analytics.withLease(() => writeFolder(folder, files, terminal.onInterrupt));
  });
  await write(`${options.json ? JSON.stringify({ folder, lookedAt, ...counts }) : folder}\n`);
  const { leads, files, events, missingFiles } = counts;
  note(
    `${formatCount(leads, 'lead')}, ${formatCount(files, 'file')}, ${formatCount(events, 'event')}: ${printableLine(folder)}`,
  );
  if (missingFiles > 0) note(`${formatCount(missingFiles, 'file')} not stored (any more): see files.json.`);
  note('Look through it before you hand it over, and delete it afterwards: it is readable by you alone.');
}

/** Whether events of a person without a lead hold the address or number. */
const hasSessions = (found: readonly PersonMatches[], terminal: Terminal): Promise<boolean> =>
  withUpkeep('leads export-person', terminal, (analytics) =>
    analytics.withLease(async () => {
      for (const { funnelId, leadIds, contact } of found)
        if ((await findSessionsOfPerson(analytics, funnelId, { leadIds, contact })).size > 0) return true;
      return false;
    }),
  );

const NOTHING: ExportedCounts = { leads: 0, files: 0, missingFiles: 0, sessions: 0, events: 0 };
