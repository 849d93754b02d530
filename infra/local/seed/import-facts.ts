import { type CommitPorts, commitFiles } from '../../../shared/analytics/facts/commit-files.ts';
import { type Fact, mergeFactsBySession } from '../../../shared/analytics/facts/fact.ts';
import type { FactFile } from '../../../shared/analytics/facts/fact-files.ts';
import { isBase } from '../../../shared/analytics/facts/manifest.ts';
import type { FactWriter } from '../../../shared/analytics/facts/ports.ts';

const FILE_SESSIONS_MAX = 500_000;

/**
 * Writes facts of a funnel directly to fact files, split by session key. If the funnel has no base, the files become
 * its base. Otherwise, they become level 1 files. If an import is repeated, each session is still counted once, because
 * facts of a session merge.
 *
 * @param completeUntilMs time up to which `facts` contains all facts of the funnel; 0 if this time is not known
 * @throws Error if the import took so long that the sweeper may have deleted its files. The import can be repeated.
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
  if (result === 'superseded')
    throw new Error(
      `The import of facts into funnel ${funnelId} took too long. It is unknown whether its sessions are counted. Repeat the import.`,
    );
}
