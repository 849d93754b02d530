import type { Clock } from '../../platform/clock.ts';
import type { FactFile } from './fact-files.ts';
import type { Manifest, NextManifest } from './manifest.ts';
import type { ManifestRepository } from './ports.ts';

export type CommitPorts = { manifests: Pick<ManifestRepository, 'read' | 'replaceIfUnchanged'>; clock: Clock };

/**
 * How long after its start a write may still be committed. The sweeper retires an unlisted file after a day, and deletes a
 * retired file and forgets its name after an hour at the earliest. A process that was suspended longer, or whose clock
 * went back, can't know whether its files were deleted.
 */
const COMMIT_MS_MAX = 45 * 60_000;

/**
 * `superseded`: another process changed the funnel's files so that these are no longer valid, or may have deleted them. It
 * is unknown whether queries see their facts, so the sources of the facts must stay.
 */
export type CommitResult = 'committed' | 'superseded';

/**
 * Adds new files to the manifest with one conditional write. Retries after another commit, as long as `next` returns a
 * manifest. Safe to repeat: a commit whose response was lost is recognised by the file names. ADR 0004.
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
    // Either committed and since compacted, or never listed in time and retired by `sweep-fact-files.ts`: the two can't be
    // distinguished.
    if (read.retired.some(({ name }) => names.has(name))) return 'superseded';
    if (read.files.some(({ name }) => names.has(name))) return 'committed';
    const tookMs = clock.now() - beganMs;
    const manifest = tookMs >= 0 && tookMs <= COMMIT_MS_MAX ? next(read) : undefined;
    if (manifest === undefined) return 'superseded';
    if (await manifests.replaceIfUnchanged(funnelId, read, manifest)) return 'committed';
  }
}
