import {
  type CountsByGroup,
  type FactFile,
  type FactReader,
  type Grouping,
  TOP_VALUES_MAX,
} from '../facts/fact-files.ts';
import type { FreshFactRepository } from '../facts/fresh-facts.ts';
import { isBase, type ManifestRepository } from '../facts/manifest.ts';
import { applyDeltas, applyDeltasToTopValues, computeDeltas } from './deltas.ts';
import { createDirtySessionCache, type DirtySession, type DirtySessionCache } from './dirty-sessions.ts';
import type { Selection } from './filters.ts';

export type SnapshotPorts = {
  fresh: Pick<FreshFactRepository, 'read'>;
  manifests: Pick<ManifestRepository, 'read'>;
  files: FactReader;
};

/** Everything known of a funnel's sessions: the immutable base files, and how the sessions touched since differ. */
export type Snapshot = {
  base: readonly FactFile[];
  /** What a touched session was in the base counts -1, what it has become counts 1. */
  changes: readonly DirtySession[];
  /** First time of the first session, milliseconds since the epoch; Infinity without sessions. */
  firstSessionMs: number;
};

/** What was merged is remembered beside the ports that it came through. */
const memories = new WeakMap<SnapshotPorts, DirtySessionCache>();

function memoryOf(ports: SnapshotPorts): DirtySessionCache {
  const memory = memories.get(ports) ?? createDirtySessionCache(ports.files);
  memories.set(ports, memory);
  return memory;
}

/**
 * Fresh facts first, then the manifest, then files: what compaction removes from the fresh ones stands in the manifest
 * by then, so that this order never misses a fact. One that is seen twice merges with itself.
 *
 * The generation is known before the fresh facts are read: those that an erasure took away meanwhile are not
 * remembered for what it left.
 */
export async function takeSnapshot(ports: SnapshotPorts, funnelId: string): Promise<Snapshot> {
  const memory = memoryOf(ports);
  let generation = memory.generation(funnelId) ?? (await begin(ports, funnelId));
  for (;;) {
    const fresh = await ports.fresh.read(funnelId);
    const manifest = await ports.manifests.read(funnelId);
    if (manifest.generation === generation) {
      const base = manifest.files.filter(isBase);
      const { changes, firstMs } = await memory.take(funnelId, { fresh, manifest });
      return { base, changes, firstSessionMs: Math.min(firstMs, ...base.map(({ minTimeMs }) => minTimeMs)) };
    }
    generation = manifest.generation;
  }
}

/** The first read of a funnel has to load much: that begins while the fresh facts are on their way. */
async function begin({ manifests, files }: SnapshotPorts, funnelId: string): Promise<number> {
  const { generation, files: listed } = await manifests.read(funnelId);
  // Not before the next request is sent: to load DuckDB blocks the process.
  setImmediate(() => files.prefetch(listed));
  return generation;
}

/** Of each dimension so many values are counted in the base at first. */
const DEPTH = 2_000;
/** A list shows `LISTED_MAX` values, and leaves the empty one out. */
const EXACT = TOP_VALUES_MAX + 1;

type Limits = { depth?: number; exact?: number };

/**
 * Counts of the selected sessions for each group: the base's, corrected by what changed. Of a dimension at least the
 * LISTED_MAX largest values besides the empty one are told, each exactly; smaller ones may be missing.
 *
 * @param limits for tests: how many values must be told, and how many are counted in the base at first
 */
export async function countSessions<G extends Grouping>(
  files: FactReader,
  { base, changes }: Snapshot,
  selection: Selection,
  by: readonly G[],
  { depth = DEPTH, exact = EXACT }: Limits = {},
): Promise<CountsByGroup<G>> {
  const groupings: readonly Grouping[] = by;
  const differences = computeDeltas(changes, selection, groupings);
  const counted = await files.count(base, selection, groupings, depth);
  const ask = { files, base, selection, exact };
  const tally: Partial<CountsByGroup> = {};
  for (const grouping of groupings) {
    const [told, own] = [counted[grouping], differences[grouping]];
    tally[grouping] =
      grouping === 'quarter'
        ? applyDeltas(told, own)
        : await applyDeltasToTopValues({ ...ask, dimension: grouping, differences: own }, told, depth);
  }
  return tally as CountsByGroup<G>;
}
