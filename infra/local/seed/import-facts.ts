import { type CommitPorts, commitFiles } from '../../../shared/analytics/facts/commit-files.ts';
import { type Fact, mergeFactsBySession } from '../../../shared/analytics/facts/fact.ts';
import type { FactFile } from '../../../shared/analytics/facts/fact-files.ts';
import { isBase } from '../../../shared/analytics/facts/manifest.ts';
import type { FactWriter } from '../../../shared/analytics/facts/ports.ts';

const FILE_SESSIONS_MAX = 500_000;

/**
 * Puts many facts of a funnel straight into files, split by session key. They become its base; a funnel that has a
 * base gets them as level 1 files, so that importing twice counts once.
 *
 * @param completeUntilMs up to when these are all facts of the funnel; absent: not known
 * @throws when it took so long that the files may not be there any more; importing again does no harm
 */
export async function importFacts(
  ports: CommitPorts & { writer: FactWriter },
  funnelId: string,
  facts: Iterable<Fact>,
  { completeUntilMs = 0, fileSessionsMax = FILE_SESSIONS_MAX } = {},
): Promise<void> {
  const byKey = [...mergeFactsBySession(facts).values()].sort((a, b) => (a.sessionKey < b.sessionKey ? -1 : 1));
  const fileCount = Math.ceil(byKey.length / fileSessionsMax);
  if (fileCount === 0) return;
  const perFile = Math.ceil(byKey.length / fileCount);
  const beganMs = ports.clock.now();
  const files: FactFile[] = [];
  for (let at = 0; at < byKey.length; at += perFile)
    files.push(await ports.writer.write(funnelId, byKey.slice(at, at + perFile), completeUntilMs));
  const result = await commitFiles(ports, funnelId, files, beganMs, (read) => {
    const level = read.files.some(isBase) ? '1' : 'base';
    return { ...read, files: [...read.files, ...files.map((file) => ({ ...file, level }) as const)] };
  });
  if (result === 'superseded') throw new Error('The import took too long: its files are not counted. Run it again.');
}
