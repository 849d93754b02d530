import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { withMaintenancePorts } from '../analytics/dependencies.ts';
import { findSessionsOfPerson } from '../analytics/erasure/erase-sessions.ts';
import { leadJson } from '../leads/lead-json.ts';
import type { CommandContext } from '../program/command.ts';
import { formatCount } from '../terminal/format.ts';
import type { Output } from '../terminal/output.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type FindPersonInput, findPersonPorts, requireMatches } from './dependencies.ts';
import { writeFolder } from './export-folder.ts';
import { exportPersonFiles } from './export-person.ts';
import type { PersonMatches } from './find-person.ts';
import type { ExportedCounts } from './person-readme.ts';
import { createS3FileStreams } from './s3-file-streams.ts';

const NOTHING: ExportedCounts = { leads: 0, files: 0, missingFiles: 0, sessions: 0, events: 0 };

export async function runExport(
  person: FindPersonInput,
  out: string | undefined,
  context: CommandContext,
): Promise<Output> {
  const { terminal, indexDelayMs } = context;
  const ports = findPersonPorts(indexDelayMs);
  const found = await requireMatches(ports, person);
  const leadsSearched = found.reduce((sum, funnel) => sum + funnel.leadsSearched, 0);
  terminal.note(`Searched ${formatCount(leadsSearched, 'lead')} in ${formatCount(found.length, 'funnel')}.`);
  if (found.every(({ leadIds }) => leadIds.length === 0) && !(await hasSessions(found, terminal))) {
    return {
      json: { folder: null, leadsSearched, ...NOTHING },
      notes: ['Nothing was found, and no folder was written.'],
    };
  }
  const folder = out ?? `person-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}`;
  const counts: ExportedCounts = { ...NOTHING };
  await withMaintenancePorts('privacy export', terminal, async (analytics) => {
    const stores = { index: ports.index, uploads: createDynamoUploadRepository(), ...createS3FileStreams(), analytics };
    const files = exportPersonFiles({ ...stores, leadText: (lead) => leadJson(lead) }, person.orgId, found, counts);
    // The lease prevents concurrent erasures. An erasure moves events between files, so a concurrent export could miss
    // events.
    await analytics.withLease(() => writeFolder(folder, files, terminal.onInterrupt));
  });
  const { leads, files, events, missingFiles } = counts;
  return {
    json: { folder, leadsSearched, ...counts },
    text: folder,
    notes: [
      `Exported ${formatCount(leads, 'lead')}, ${formatCount(files, 'file')} and ${formatCount(events, 'event')}.`,
      ...(missingFiles > 0 ? [`Not stored any more: ${formatCount(missingFiles, 'file')}. See files.json.`] : []),
      'Only you can read the folder. Check it before you hand it over, and delete it afterwards.',
    ],
  };
}

const hasSessions = (found: readonly PersonMatches[], terminal: Terminal): Promise<boolean> =>
  withMaintenancePorts('privacy export', terminal, (analytics) =>
    analytics.withLease(async () => {
      for (const { funnelId, leadIds, contact } of found) {
        if ((await findSessionsOfPerson(analytics, funnelId, { leadIds, contact })).size > 0) return true;
      }
      return false;
    }),
  );
