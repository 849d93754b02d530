import { type Fact, mergeAll } from './fact.ts';
import type { FactWriter } from './fact-files.ts';
import { addFiles, type Manifests } from './manifest.ts';

const FILE_SESSIONS_MAX = 500_000;

/**
 * Puts many facts of a funnel straight into files, split by session key. They become its base; a funnel that has a
 * base gets them as amendments, so that importing twice counts once.
 */
export async function importFacts(
  ports: { writer: FactWriter; manifests: Manifests },
  funnelId: string,
  facts: Iterable<Fact>,
  fileSessionsMax = FILE_SESSIONS_MAX,
): Promise<void> {
  const byKey = [...mergeAll(facts).values()].sort((a, b) => (a.sessionKey < b.sessionKey ? -1 : 1));
  const fileCount = Math.ceil(byKey.length / fileSessionsMax);
  if (fileCount === 0) return;
  const perFile = Math.ceil(byKey.length / fileCount);
  const files = [];
  for (let at = 0; at < byKey.length; at += perFile)
    files.push(await ports.writer.write(funnelId, byKey.slice(at, at + perFile)));
  await addFiles(ports.manifests, funnelId, files, (listed) =>
    listed.some(({ level }) => level === 'base') ? '1' : 'base',
  );
}
