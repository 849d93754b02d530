import { type Fact, mergeAll } from '../facts/fact.ts';
import {
  type Counts,
  type FactFile,
  type FactReader,
  type Grouping,
  QUARTER_MS,
  type Tally,
} from '../facts/fact-files.ts';
import type { FreshFacts } from '../facts/fresh-facts.ts';
import type { Manifests } from '../facts/manifest.ts';
import { passes, type Selection } from './filters.ts';

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

/**
 * Counts of the selected sessions for each group: the base's, corrected by what changed. Of a dimension at least the
 * LISTED_MAX largest values are told, each exactly.
 */
export async function tallySessions<G extends Grouping>(
  files: FactReader,
  { base, changes }: Snapshot,
  selection: Selection,
  by: readonly G[],
): Promise<Tally<G>> {
  const counted = await files.count(base, selection, by);
  const tally = Object.fromEntries(by.map((grouping) => [grouping, new Map(counted[grouping])])) as MutableTally<G>;
  for (const { fact, weight } of changes) {
    if (!passes(fact, selection)) continue;
    for (const grouping of by) addTo(tally[grouping], groupOf(fact, grouping), fact, weight);
  }
  return tally;
}

type MutableTally<G extends Grouping> = Record<G, Map<string, Counts>>;

const groupOf = (fact: Fact, grouping: Grouping): string =>
  grouping === 'quarter' ? String(Math.floor(fact.timeMs / QUARTER_MS)) : fact[grouping];

function addTo(counts: Map<string, Counts>, value: string, fact: Fact, weight: 1 | -1): void {
  const { sessions, starts, completions } = counts.get(value) ?? { sessions: 0, starts: 0, completions: 0 };
  counts.set(value, {
    sessions: sessions + weight,
    starts: starts + (fact.started ? weight : 0),
    completions: completions + (fact.completed ? weight : 0),
  });
}
