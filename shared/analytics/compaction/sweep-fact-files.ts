import type { Clock } from '../../platform/clock.ts';
import type { TimeBudget } from '../../platform/time-budget.ts';
import { fileCreatedMs, type Manifest, type ManifestRepository, type RetiredFile } from '../facts/manifest.ts';

/** A stored fact file, listed by a manifest or not. */
export type StoredFactFile = {
  name: string;
  /** By the store's clock, milliseconds since the epoch. */
  storedMs: number;
};

export type FactFileStore = {
  /** Every fact file that is stored, page by page; those of a funnel come one after another. */
  list(): AsyncIterable<readonly StoredFactFile[]>;
  /**
   * Takes a file away; one that is gone already is no error.
   *
   * @param forGood the store keeps no old version of it either
   */
  remove(name: string, forGood: boolean): Promise<void>;
};

export type FactSweepPorts = {
  manifests: Pick<ManifestRepository, 'read' | 'commit'>;
  files: FactFileStore;
  clock: Clock;
};

/** Reads that began with a file have ended long before. */
const RETIRED_MS = 3_600_000;
/** The longest that a file is stored before it is listed is a fraction of it. */
const ORPHAN_MS = 86_400_000;
const REMOVALS_AT_ONCE = 20;
/** So many enter a funnel's list at a time, which is bounded: what a compactor leaves that crashes each minute, for half a day. */
const ORPHANS_MAX = 500;
/** The longest that the files of one funnel take, but for a backlog of years. */
const FUNNEL_MS_MAX = 30_000;

export type FactSweepResult = { funnelId: string } & (
  | { outcome: 'swept'; removed: number; orphans: number }
  | { outcome: 'failed'; cause: unknown }
);

/**
 * Removes the files that no read can need any more, funnel by funnel, until the time is nearly up: the next run comes
 * further, as there is less to remove.
 *
 * @returns the funnels where there was something to do; `failed` also for the one that the time did not suffice for
 */
export async function sweepFactFiles(
  ports: FactSweepPorts,
  { remainingMs: timeLeftMs }: TimeBudget,
): Promise<FactSweepResult[]> {
  const sweeps: FactSweepResult[] = [];
  for await (const { funnelId, files } of byFunnel(ports.files.list())) {
    if (timeLeftMs() < FUNNEL_MS_MAX) {
      sweeps.push({ funnelId, outcome: 'failed', cause: new Error('The time was over before all funnels were seen.') });
      break;
    }
    const sweep = sweepFunnel(ports, funnelId, files);
    const done = await sweep.catch((cause: unknown): FactSweepResult => ({ funnelId, outcome: 'failed', cause }));
    if (done.outcome === 'failed' || done.removed + done.orphans > 0) sweeps.push(done);
  }
  return sweeps;
}

/**
 * What was retired long enough ago is removed, and only then forgotten. What no manifest speaks of is not removed but
 * retired: whoever is about to list it either did so before, or finds it retired, whatever the clocks say.
 */
async function sweepFunnel(
  ports: FactSweepPorts,
  funnelId: string,
  found: readonly StoredFactFile[],
): Promise<FactSweepResult> {
  const { manifests, files } = ports;
  const now = ports.clock.now();
  /** By name, whether for good: while a file is hidden, an erasure may decide that no old version of it may stay. */
  const removed = new Map<string, boolean>();
  for (;;) {
    const read = await manifests.read(funnelId);
    const isToRemove = ({ name, forGood }: RetiredFile) => !removed.has(name) || (forGood && !removed.get(name));
    const expired = read.retired.filter((file) => isExpired(read, file, now) && isToRemove(file));
    for (let at = 0; at < expired.length; at += REMOVALS_AT_ONCE) {
      const some = expired.slice(at, at + REMOVALS_AT_ONCE);
      await Promise.all(some.map(({ name, forGood = false }) => files.remove(name, forGood)));
    }
    for (const { name, forGood = false } of expired) removed.set(name, forGood);
    const orphans = orphansIn(read, found, now)
      .filter(({ name }) => !removed.has(name))
      .slice(0, ORPHANS_MAX);
    const swept = { funnelId, outcome: 'swept', removed: removed.size, orphans: orphans.length } as const;
    const kept = read.retired.filter(({ name }) => !removed.has(name)).map((file) => notAhead(file, now));
    const retired = [...kept, ...orphans];
    if (same(retired, read.retired)) return swept;
    if ((await manifests.commit(funnelId, read, { ...read, retired })) === 'committed') return swept;
  }
}

/** A file that is listed is never removed, whatever else is said of it. */
const isExpired = ({ files }: Manifest, { name, retiredMs }: RetiredFile, now: number): boolean =>
  now - retiredMs >= RETIRED_MS && !files.some((file) => file.name === name);

/** Stored long ago by the clocks of its writer and of the store, and never listed. */
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
      // It may hold what the funnel had to forget.
      ...(generation > 0 && { forGood: true as const }),
    }));
}

/** A clock that was ahead retired it: counted from now on. */
const notAhead = (file: RetiredFile, now: number): RetiredFile =>
  file.retiredMs <= now + RETIRED_MS ? file : { ...file, retiredMs: now };

const same = (a: readonly RetiredFile[], b: readonly RetiredFile[]): boolean =>
  a.length === b.length && a.every(({ name, retiredMs }, at) => name === b[at]?.name && retiredMs === b[at]?.retiredMs);

/** Only one funnel's files are in memory at a time. */
async function* byFunnel(pages: AsyncIterable<readonly StoredFactFile[]>) {
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
