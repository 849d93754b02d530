import type { Clock } from '../../platform/clock.ts';
import type { FactFile } from './fact-files.ts';
import type { Manifest, NextManifest } from './manifest.ts';
import type { ManifestRepository } from './ports.ts';

export type CommitPorts = { manifests: Pick<ManifestRepository, 'read' | 'replaceIfUnchanged'>; clock: Clock };

/**
 * Maximum time from `beganMs` to the commit. Must be less than `RETIRED_MS` of `sweep-fact-files.ts`. The sweeper
 * retires files that are a day old and not listed. If a clock is wrong, the sweeper can retire a file that its writer
 * has not committed yet. The manifest lists a retired name for `RETIRED_MS`, so a commit within this time finds the name
 * and is `superseded`. A later commit would list a deleted file.
 */
const COMMIT_MS_MAX = 45 * 60_000;

/**
 * `superseded`: the new files must not be listed. Either another process made them invalid by changing the manifest, or
 * the commit came too late: the files may have been deleted. Reads may or may not see the facts of the files, so the
 * sources of the facts must be kept.
 */
export type CommitResult = 'committed' | 'superseded';

/**
 * Adds new files to the manifest with one conditional write. If another process commits first, retries with the new
 * manifest. Gives up if `next` returns undefined or the commit would be too late. If the response of a commit was lost,
 * the file names in the manifest show that the commit succeeded. ADR 0004.
 *
 * @param beganMs the time by `clock` when the writer began to write the first file, or an earlier time
 * @param next builds the new manifest from the current one; returns undefined if the files are no longer valid
 */
export async function commitFiles(
  { manifests, clock }: CommitPorts,
  funnelId: string,
  files: readonly FactFile[],
  beganMs: number,
  next: (current: Manifest) => NextManifest | undefined,
): Promise<CommitResult> {
  const names = new Set(files.map(({ name }) => name));
  for (;;) {
    const current = await manifests.read(funnelId);
    // The files were committed and then replaced, or they were not committed in time and `sweep-fact-files.ts` retired
    // them. These cases can't be distinguished.
    if (current.retired.some(({ name }) => names.has(name))) return 'superseded';
    if (current.files.some(({ name }) => names.has(name))) return 'committed';
    const tookMs = clock.now() - beganMs;
    const manifest = tookMs >= 0 && tookMs <= COMMIT_MS_MAX ? next(current) : undefined;
    if (manifest === undefined) return 'superseded';
    if (await manifests.replaceIfUnchanged(funnelId, current, manifest)) return 'committed';
  }
}
