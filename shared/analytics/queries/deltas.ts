import type { Fact } from '../facts/fact.ts';
import { type Counts, type FactFile, type Grouping, QUARTER_HOUR_MS } from '../facts/fact-files.ts';
import type { FactReader } from '../facts/ports.ts';
import { type Dimension, matchesSelection, type Selection } from '../facts/selection.ts';
import type { DirtySession } from './dirty-sessions.ts';

/** Counts by the value of a grouping. Deltas may be negative. */
export type CountsByValue = ReadonlyMap<string, Counts>;

/** The deltas that dirty sessions add to the base counts: -1 for the session before, +1 for the session after. ADR 0003. */
export function computeDeltas<G extends Grouping>(
  dirtySessions: readonly DirtySession[],
  selection: Selection,
  by: readonly G[],
): Record<G, CountsByValue> {
  const deltas = Object.fromEntries(by.map((grouping) => [grouping, new Map()])) as Record<G, Map<string, Counts>>;
  const add = (fact: Fact, weight: 1 | -1) => {
    if (!matchesSelection(fact, selection)) return;
    for (const grouping of by) addTo(deltas[grouping], groupOf(fact, grouping), fact, weight);
  };
  for (const { before, after } of dirtySessions) {
    if (before !== undefined) add(before, -1);
    add(after, 1);
  }
  return deltas;
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

/** Adds deltas to counts, and omits values that have no session left. */
export function applyDeltas(counted: CountsByValue, deltas: CountsByValue): CountsByValue {
  if (deltas.size === 0) return counted;
  const sums = new Map(counted);
  for (const [value, delta] of deltas) {
    const { sessions, starts, completions } = sums.get(value) ?? { sessions: 0, starts: 0, completions: 0 };
    const sum = {
      sessions: sessions + delta.sessions,
      starts: starts + delta.starts,
      completions: completions + delta.completions,
    };
    if (sum.sessions > 0) sums.set(value, sum);
    else sums.delete(value);
  }
  return sums;
}

type TopValuesQuery = {
  files: FactReader;
  base: readonly FactFile[];
  selection: Selection;
  dimension: Dimension;
  deltas: CountsByValue;
  /** How many of the top values must be exact. */
  exact: number;
};

/**
 * Applies deltas to the `depth` top values of the base. An unlisted value has at most as many sessions as the smallest
 * listed one, so none belongs to the `exact` top values while that many listed values lost no session; otherwise more
 * values are counted. Unlisted values with deltas are looked up if they could be large enough.
 */
export async function applyDeltasToTopValues(
  query: TopValuesQuery,
  listed: CountsByValue,
  depth: number,
): Promise<CountsByValue> {
  const { files, base, selection, dimension, deltas, exact } = query;
  if (listed.size < depth) return applyDeltas(listed, deltas);
  const shrinking = [...deltas].filter(([, { sessions }]) => sessions < 0).map(([value]) => value);
  if (listed.size - shrinking.filter((value) => listed.has(value)).length < exact) {
    const deeper = shrinking.length + exact;
    const { [dimension]: more } = await files.count(base, selection, [dimension], deeper);
    return applyDeltasToTopValues(query, more, deeper);
  }
  const sums = applyDeltas(listed, new Map([...deltas].filter(([value]) => listed.has(value))));
  const floor = smallest(listed.values());
  const least = [...sums.values()].map(({ sessions }) => sessions).sort((a, b) => b - a)[exact - 1] ?? 0;
  const wanted = [...deltas].filter(([value, { sessions }]) => !listed.has(value) && floor + sessions >= least);
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
