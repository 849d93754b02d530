import type { Clock } from '../../platform/clock.ts';
import type { RemainingTime } from '../../platform/remaining-time.ts';
import { fileCreatedMs, type Manifest, type RetiredFile } from '../facts/manifest.ts';
import type { FactFileStore, ManifestRepository, StoredFactFile } from '../facts/ports.ts';

export type FactSweepPorts = {
  manifests: Pick<ManifestRepository, 'read' | 'replaceIfUnchanged'>;
  fileStore: Pick<FactFileStore, 'list' | 'remove'>;
  clock: Clock;
};

/**
 * A retired file is deleted after this time, which is longer than `COMMIT_MS_MAX` of `commit-files.ts`, and far longer
 * than any read or SQL query takes.
 */
const RETIRED_MS = 3_600_000;
/**
 * A file that is not in the manifest is an orphan after this time. Writers commit their files much earlier
 * (`commitFiles`).
 */
const ORPHAN_MS = 86_400_000;
const REMOVAL_CONCURRENCY = 20;
/**
 * Maximum orphans that a run retires per funnel, because the size of the manifest is limited. This number suffices for
 * hourly runs. Even a compaction that crashes every minute needs 8 hours to leave 500 orphans.
 */
const ORPHANS_MAX = 500;
/** The sweep of one funnel takes less time than this. A sweep begins only if at least this time is left. */
const FUNNEL_MS_MAX = 30_000;

export type FactSweepResult = { funnelId: string } & (
  | { outcome: 'swept'; removed: number; orphans: number }
  | { outcome: 'failed'; cause: unknown }
);

/**
 * Deletes the files that no read or SQL query can need any more, funnel by funnel, until the run is out of time.
 *
 * @returns the funnels with changes or a failure. If the time ends early, the next funnel has the outcome `failed`.
 */
export async function sweepFactFiles(
  ports: FactSweepPorts,
  { remainingMs }: RemainingTime,
): Promise<FactSweepResult[]> {
  const sweeps: FactSweepResult[] = [];
  for await (const { funnelId, files } of groupByFunnel(ports.fileStore.list())) {
    if (remainingMs() < FUNNEL_MS_MAX) {
      sweeps.push({
        funnelId,
        outcome: 'failed',
        cause: new Error('The run was out of time before it had swept all funnels. The next run starts again.'),
      });
      break;
    }
    const sweep = sweepFunnel(ports, funnelId, files);
    const done = await sweep.catch((cause: unknown): FactSweepResult => ({ funnelId, outcome: 'failed', cause }));
    if (done.outcome === 'failed' || done.removed + done.orphans > 0) sweeps.push(done);
  }
  return sweeps;
}

/**
 * Deletes files that were retired long enough ago, then removes them from the manifest. Retires orphans before they are
 * deleted. A slow writer may still try to commit an orphan, but `commitFiles` rejects retired files, even if the clocks
 * of writer and sweeper differ.
 */
async function sweepFunnel(
  ports: FactSweepPorts,
  funnelId: string,
  found: readonly StoredFactFile[],
): Promise<FactSweepResult> {
  const { manifests, fileStore } = ports;
  const now = ports.clock.now();
  /**
   * The deleted files by name. The value is true if the file's noncurrent versions were purged, too. If an erasure
   * requests the purge while the file is being deleted, the file is deleted again, with the purge.
   */
  const removed = new Map<string, boolean>();
  for (;;) {
    const read = await manifests.read(funnelId);
    const isToRemove = ({ name, purgeVersions }: RetiredFile) =>
      !removed.has(name) || (purgeVersions && !removed.get(name));
    const expired = read.retired.filter((file) => isExpired(read, file, now) && isToRemove(file));
    for (let at = 0; at < expired.length; at += REMOVAL_CONCURRENCY) {
      const batch = expired.slice(at, at + REMOVAL_CONCURRENCY);
      await Promise.all(batch.map(({ name, purgeVersions = false }) => fileStore.remove(name, purgeVersions)));
    }
    for (const { name, purgeVersions = false } of expired) removed.set(name, purgeVersions);
    const orphans = orphansIn(read, found, now)
      .filter(({ name }) => !removed.has(name))
      .slice(0, ORPHANS_MAX);
    const swept = { funnelId, outcome: 'swept', removed: removed.size, orphans: orphans.length } as const;
    const kept = read.retired.filter(({ name }) => !removed.has(name)).map((file) => withoutFutureTime(file, now));
    const retired = [...kept, ...orphans];
    if (areSame(retired, read.retired)) return swept;
    if (await manifests.replaceIfUnchanged(funnelId, read, { ...read, retired })) return swept;
  }
}

/** A listed file is never deleted, even if it is also retired. */
const isExpired = ({ files }: Manifest, { name, retiredMs }: RetiredFile, now: number): boolean =>
  now - retiredMs >= RETIRED_MS && !files.some((file) => file.name === name);

/** Files that are not in the manifest. They must be old by the writer's clock and by the store's clock. */
function orphansIn(
  { files, retired, generation }: Manifest,
  found: readonly StoredFactFile[],
  now: number,
): RetiredFile[] {
  const known = new Set([...files, ...retired].map(({ name }) => name));
  return found
    .filter((file) => !known.has(file.name) && now - Math.max(file.storedMs, fileCreatedMs(file)) >= ORPHAN_MS)
    .map(({ name }) => ({
      name,
      retiredMs: now,
      // The funnel had an erasure or a rebuild, so the file may hold erased facts.
      ...(generation > 0 && { purgeVersions: true as const }),
    }));
}

/** If a clock was ahead, the time of a file is far in the future. Replaces such a time with the current time. */
const withoutFutureTime = (file: RetiredFile, now: number): RetiredFile =>
  file.retiredMs <= now + RETIRED_MS ? file : { ...file, retiredMs: now };

const areSame = (a: readonly RetiredFile[], b: readonly RetiredFile[]): boolean =>
  a.length === b.length && a.every(({ name, retiredMs }, at) => name === b[at]?.name && retiredMs === b[at]?.retiredMs);

/** Keeps only one page and the files of one funnel in memory at a time. */
async function* groupByFunnel(pages: AsyncIterable<readonly StoredFactFile[]>) {
  let current: { funnelId: string; files: StoredFactFile[] } | undefined;
  for await (const page of pages) {
    for (const file of page) {
      const funnelId = file.name.slice(0, file.name.indexOf('/'));
      if (current !== undefined && current.funnelId !== funnelId) yield current;
      if (current?.funnelId !== funnelId) current = { funnelId, files: [] };
      current.files.push(file);
    }
  }
  if (current !== undefined) yield current;
}
