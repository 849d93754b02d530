import type { Fact } from '../facts/fact.ts';
import { type Counts, type FactFile, type FactReader, type Grouping, QUARTER_HOUR_MS } from '../facts/fact-files.ts';
import type { DirtySession } from './dirty-sessions.ts';
import { type Dimension, matchesSelection, type Selection } from './filters.ts';

/** By the value of a grouping; of differences the numbers may be negative. */
export type CountsByValue = ReadonlyMap<string, Counts>;

/** By how much the touched sessions change the base's counts: what each was counts -1, what it has become counts 1. */
export function computeDeltas<G extends Grouping>(
  changes: readonly DirtySession[],
  selection: Selection,
  by: readonly G[],
): Record<G, CountsByValue> {
  const differences = Object.fromEntries(by.map((grouping) => [grouping, new Map()])) as Record<G, Map<string, Counts>>;
  const add = (fact: Fact, weight: 1 | -1) => {
    if (!matchesSelection(fact, selection)) return;
    for (const grouping of by) addTo(differences[grouping], groupOf(fact, grouping), fact, weight);
  };
  for (const { before, after } of changes) {
    if (before !== undefined) add(before, -1);
    add(after, 1);
  }
  return differences;
}

const groupOf = (fact: Fact, grouping: Grouping): string =>
  grouping === 'quarter' ? String(Math.floor(fact.timeMs / QUARTER_HOUR_MS)) : fact[grouping];

function addTo(counts: Map<string, Counts>, value: string, fact: Fact, weight: 1 | -1): void {
  let own = counts.get(value);
  if (own === undefined) {
    own = { sessions: 0, starts: 0, completions: 0 };
    counts.set(value, own);
  }
  own.sessions += weight;
  if (fact.started) own.starts += weight;
  if (fact.completed) own.completions += weight;
}

/** The sums of counts and differences, without values that no session has any more. */
export function applyDeltas(counted: CountsByValue, differences: CountsByValue): CountsByValue {
  if (differences.size === 0) return counted;
  const sums = new Map(counted);
  for (const [value, difference] of differences) {
    const { sessions, starts, completions } = sums.get(value) ?? { sessions: 0, starts: 0, completions: 0 };
    const sum = {
      sessions: sessions + difference.sessions,
      starts: starts + difference.starts,
      completions: completions + difference.completions,
    };
    if (sum.sessions > 0) sums.set(value, sum);
    else sums.delete(value);
  }
  return sums;
}

type Ask = {
  files: FactReader;
  base: readonly FactFile[];
  selection: Selection;
  dimension: Dimension;
  differences: CountsByValue;
  /** So many of the largest values must be told exactly. */
  exact: number;
};

/**
 * The counts of a dimension of which the base has told its `depth` largest values only. What is not told has at most
 * as many sessions as the smallest that is; so nothing untold belongs to the `exact` largest as long as so many of the
 * told ones lost no session. The changed values that were not told are looked up, if they could be large enough.
 */
export async function applyDeltasToTopValues(ask: Ask, told: CountsByValue, depth: number): Promise<CountsByValue> {
  const { files, base, selection, dimension, differences, exact } = ask;
  if (told.size < depth) return applyDeltas(told, differences);
  const shrinking = [...differences].filter(([, { sessions }]) => sessions < 0).map(([value]) => value);
  if (told.size - shrinking.filter((value) => told.has(value)).length < exact) {
    const deeper = shrinking.length + exact;
    const { [dimension]: more } = await files.count(base, selection, [dimension], deeper);
    return applyDeltasToTopValues(ask, more, deeper);
  }
  const sums = applyDeltas(told, new Map([...differences].filter(([value]) => told.has(value))));
  const floor = smallest(told.values());
  const least = [...sums.values()].map(({ sessions }) => sessions).sort((a, b) => b - a)[exact - 1] ?? 0;
  const wanted = [...differences].filter(([value, { sessions }]) => !told.has(value) && floor + sessions >= least);
  const found = await files.countValues(
    base,
    selection,
    dimension,
    wanted.map(([value]) => value),
  );
  return new Map([...sums, ...applyDeltas(found, new Map(wanted))]);
}

function smallest(counts: Iterable<Counts>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { sessions } of counts) least = Math.min(least, sessions);
  return least;
}
