import { type Fact, mergeAll } from './fact.ts';
import type { Counts, FactFile, FactReader } from './fact-files.ts';
import { type Dimension, passes, type Selection } from './filters.ts';
import type { FreshFacts } from './fresh-facts.ts';
import type { Manifests } from './manifest.ts';

export type SnapshotPorts = { fresh: Pick<FreshFacts, 'read'>; manifests: Pick<Manifests, 'read'>; files: FactReader };

/** Everything known of a funnel's sessions: the immutable base files, and how the sessions touched since differ. */
export type Snapshot = {
  base: readonly FactFile[];
  /** What a touched session was in the base counts -1, what it has become counts 1. */
  changes: readonly { fact: Fact; weight: 1 | -1 }[];
  /** First time of the first session, milliseconds since the epoch; Infinity without sessions. */
  firstSessionMs: number;
};

/**
 * Fresh facts first, then the manifest, then files: what compaction removes from the fresh ones stands in the manifest
 * by then, so that this order never misses a fact. One that is seen twice merges with itself.
 */
export async function takeSnapshot(ports: SnapshotPorts, funnelId: string): Promise<Snapshot> {
  const fresh = (await ports.fresh.read(funnelId)).flatMap(({ facts }) => facts);
  const { files } = await ports.manifests.read(funnelId);
  const base = files.filter(({ level }) => level === 'base');
  const amended = await ports.files.read(files.filter(({ level }) => level === '1'));
  const touched = mergeAll([...amended, ...fresh]);
  const before = await ports.files.find(base, [...touched.keys()]);
  const after = mergeAll([...before, ...touched.values()]);
  return {
    base,
    changes: [
      ...before.map((fact) => ({ fact, weight: -1 as const })),
      ...Array.from(after.values(), (fact) => ({ fact, weight: 1 as const })),
    ],
    firstSessionMs: [
      ...base.map(({ minTimeMs }) => minTimeMs),
      ...Array.from(after.values(), ({ timeMs }) => timeMs),
    ].reduce((first, time) => Math.min(first, time), Number.POSITIVE_INFINITY),
  };
}

/** Counts of the selected sessions for each value of a dimension: the base's, corrected by what changed. */
export async function countSessions(
  files: FactReader,
  { base, changes }: Snapshot,
  selection: Selection,
  by: Dimension,
): Promise<Map<string, Counts>> {
  const counts = new Map(await files.countBy(base, selection, by));
  for (const { fact, weight } of changes) {
    if (!passes(fact, selection)) continue;
    const { sessions, starts, completions } = counts.get(fact[by]) ?? { sessions: 0, starts: 0, completions: 0 };
    counts.set(fact[by], {
      sessions: sessions + weight,
      starts: starts + (fact.started ? weight : 0),
      completions: completions + (fact.completed ? weight : 0),
    });
  }
  return counts;
}
