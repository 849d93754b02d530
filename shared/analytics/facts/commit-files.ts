import type { Clock } from '../../platform/clock.ts';
import type { FactFile } from './fact-files.ts';
import type { Manifest, NextManifest } from './manifest.ts';
import type { ManifestRepository } from './ports.ts';

export type CommitPorts = { manifests: Pick<ManifestRepository, 'read' | 'replaceIfUnchanged'>; clock: Clock };

/**
 * Maximum time from `beganMs` to the commit. It must be less than `RETIRED_MS` of `sweep-fact-files.ts`. When a file
 * has been retired for `RETIRED_MS`, the sweeper deletes the file and removes its name from the manifest. A later
 * commit would list the deleted file again.
 */
const COMMIT_MS_MAX = 45 * 60_000;

/**
 * `superseded`: the new files must not be listed. Either another process changed the manifest so that the files are no
 * longer valid, or the commit came so late that the files may have been deleted. It is unknown whether queries see the
 * facts of the files, so the sources of the facts must be kept.
 */
export type CommitResult = 'committed' | 'superseded';

/**
 * Adds new files to the manifest with one conditional write. If another process commits first, retries with the new
 * manifest, unless `next` returns undefined or the commit would be too late. If the response of a commit was lost, the
 * file names in the manifest show that the commit succeeded. ADR 0004.
 *
 * @param beganMs when the writer began to write the first file, or an earlier time, by `clock`
 * @param next builds the new manifest from the current one; returns undefined if the files are no longer valid
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
    // The files were committed and then replaced, or they were not committed in time and `sweep-fact-files.ts` retired
    // them. These cases can't be distinguished.
    if (read.retired.some(({ name }) => names.has(name))) return 'superseded';
    if (read.files.some(({ name }) => names.has(name))) return 'committed';
    const tookMs = clock.now() - beganMs;
    const manifest = tookMs >= 0 && tookMs <= COMMIT_MS_MAX ? next(read) : undefined;
    if (manifest === undefined) return 'superseded';
    if (await manifests.replaceIfUnchanged(funnelId, read, manifest)) return 'committed';
  }
}
