import type { Clock } from '../../platform/clock.ts';
import type { FactFile } from './fact-files.ts';
import type { Manifest, ManifestRepository, NextManifest } from './manifest.ts';

export type CommitPorts = { manifests: Pick<ManifestRepository, 'read' | 'commit'>; clock: Clock };

/**
 * How long after a file was begun it may still be listed. The sweeper keeps the names that it took away for an hour
 * and more, and what it finds unlisted for a day: a process that slept longer, or whose clock went back meanwhile,
 * cannot know any more what has become of its files.
 */
const LISTING_MS_MAX = 45 * 60_000;

/** `outdated`: whether reads know these facts is not certain; what the files were made of must stay. */
export type CommitResult = 'listed' | 'outdated';

/**
 * Lists new files by what `next` makes of the manifest as it is by then. Harmless to repeat: a commit whose reply was
 * lost is recognised by the files' names.
 *
 * @param beganMs before the first of the files was begun, by the same clock
 * @param next undefined: the files say nothing true any more
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
    // Listed and compacted away already, or taken for a crash's leftovers: that cannot be told apart.
    if (read.retired.some(({ name }) => names.has(name))) return 'outdated';
    if (read.files.some(({ name }) => names.has(name))) return 'listed';
    const tookMs = clock.now() - beganMs;
    const wanted = tookMs >= 0 && tookMs <= LISTING_MS_MAX ? next(read) : undefined;
    if (wanted === undefined) return 'outdated';
    if ((await manifests.commit(funnelId, read, wanted)) === 'committed') return 'listed';
  }
}
