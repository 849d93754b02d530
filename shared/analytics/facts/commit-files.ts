import type { Clock } from '../../platform/clock.ts';
import type { FactFile } from './fact-files.ts';
import type { Manifest, NextManifest } from './manifest.ts';
import type { ManifestRepository } from './ports.ts';

export type CommitPorts = { manifests: Pick<ManifestRepository, 'read' | 'commit'>; clock: Clock };

/**
 * How long after its start a write may still be committed. The sweeper keeps the names of deleted files for at least an
 * hour, and unlisted files for a day. A process that was suspended longer, or whose clock went back, can't know whether
 * its files were deleted.
 */
const COMMIT_MS_MAX = 45 * 60_000;

/** `stale`: it is unknown whether queries see the facts of the files; their sources must stay. */
export type CommitResult = 'committed' | 'stale';

/**
 * Adds new files to the manifest with one conditional write, and retries on conflict. Safe to repeat: a commit whose
 * response was lost is recognised by the file names. ADR 0004.
 *
 * @param beganMs a time before the first file was started, by the same clock
 * @param next builds the new manifest from the current one; undefined when the files are no longer valid
 */
export async function commitFiles(
  { manifests, clock }: CommitPorts,
  funnelId: string,
  files: readonly FactFile[],
  beganMs: number,
  next: (read: Manifest) => NextManifest | undefined,
): Promise<CommitResult> {
  const names = new Set(files.map(({ name }) => name));
  for (;;) {
    const read = await manifests.read(funnelId);
    // Either committed and already compacted, or retired as an orphan: the two can't be distinguished.
    if (read.retired.some(({ name }) => names.has(name))) return 'stale';
    if (read.files.some(({ name }) => names.has(name))) return 'committed';
    const tookMs = clock.now() - beganMs;
    const wanted = tookMs >= 0 && tookMs <= COMMIT_MS_MAX ? next(read) : undefined;
    if (wanted === undefined) return 'stale';
    if ((await manifests.commit(funnelId, read, wanted)) === 'committed') return 'committed';
  }
}
