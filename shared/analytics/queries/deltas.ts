import { type Counts, type Grouping, QUARTER_HOUR_MS } from '../facts/counts.ts';
import { createSessionMatcher, type Dimension, type SessionCriteria } from '../facts/criteria.ts';
import type { Fact } from '../facts/fact.ts';
import type { FactFile } from '../facts/fact-files.ts';
import type { FactReader } from '../facts/ports.ts';
import type { DirtySession } from './dirty-sessions.ts';

/** The counts of each value of a grouping, or their deltas. Deltas may be negative. */
export type CountsByValue = ReadonlyMap<string, Counts>;

/**
 * The deltas that changed sessions add to the counts of the base: -1 for the fact `before`, +1 for the fact `after`.
 * ADR 0003.
 */
export function computeDeltas<G extends Grouping>(
  changedSessions: readonly DirtySession[],
  criteria: SessionCriteria,
  by: readonly G[],
): Record<G, CountsByValue> {
  const deltas = Object.fromEntries(by.map((grouping) => [grouping, new Map()])) as Record<G, Map<string, Counts>>;
  const matches = createSessionMatcher(criteria);
  const add = (fact: Fact, weight: 1 | -1) => {
    if (!matches(fact)) return;
    for (const grouping of by) addTo(deltas[grouping], groupOf(fact, grouping), fact, weight);
  };
  for (const { before, after } of changedSessions) {
    if (before !== undefined) add(before, -1);
    add(after, 1);
  }
  return deltas;
}

const groupOf = (fact: Fact, grouping: Grouping): string =>
  grouping === 'quarterHour' ? String(Math.floor(fact.firstTimeMs / QUARTER_HOUR_MS)) : fact[grouping];

function addTo(counts: Map<string, Counts>, value: string, fact: Fact, weight: 1 | -1): void {
  let delta = counts.get(value);
  if (delta === undefined) {
    delta = { sessions: 0, starts: 0, completions: 0 };
    counts.set(value, delta);
  }
  delta.sessions += weight;
  if (fact.started) delta.starts += weight;
  if (fact.completed) delta.completions += weight;
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
  factReader: FactReader;
  base: readonly FactFile[];
  criteria: SessionCriteria;
  dimension: Dimension;
  deltas: CountsByValue;
  /** Number of top values whose counts must be exact. */
  exact: number;
};

/**
 * Applies deltas to `listed`, the `depth` top values of the base. If fewer than `exact` listed values are without a
 * negative delta, first reads a longer list. Then finds the unlisted values whose deltas could make them one of the
 * `exact` top values, and counts them in the base. In the base, an unlisted value has at most as many sessions as the
 * smallest listed value, so most deltas are too small.
 *
 * Example with `depth` 3 and `exact` 2: the list is a 10, b 8, c 5, and the deltas are b -5, x +4, y -1. a and c lose
 * no session, so the list is long enough. The sums are a 10, c 5, b 3: the second top value has 5. In the base, x and y
 * each have at most 5 sessions, as c does. x can therefore have up to 5 + 4 sessions, so it is counted in the base. y
 * can have at most 5 - 1, so it is omitted.
 */
export async function applyDeltasToTopValues(
  query: TopValuesQuery,
  listed: CountsByValue,
  depth: number,
): Promise<CountsByValue> {
  const { factReader, base, criteria, dimension, deltas, exact } = query;
  // A list of fewer than `depth` values contains all values, so the sums are exact.
  if (listed.size < depth) return applyDeltas(listed, deltas);
  const shrinking = [...deltas].filter(([, { sessions }]) => sessions < 0).map(([value]) => value);
  if (listed.size - shrinking.filter((value) => listed.has(value)).length < exact) {
    // Even if the longer list contains all shrinking values, it has `exact` other values.
    const deeper = shrinking.length + exact;
    const { [dimension]: more } = await factReader.count(base, criteria, [dimension], deeper);
    return applyDeltasToTopValues(query, more, deeper);
  }
  const sums = applyDeltas(listed, new Map([...deltas].filter(([value]) => listed.has(value))));
  const unlistedSessionsMax = smallestSessions(listed.values());
  const lastTopSessions = [...sums.values()].map(({ sessions }) => sessions).sort((a, b) => b - a)[exact - 1] ?? 0;
  const wanted = [...deltas].filter(
    ([value, { sessions }]) => !listed.has(value) && unlistedSessionsMax + sessions >= lastTopSessions,
  );
  const found = await factReader.countValues(
    base,
    criteria,
    dimension,
    wanted.map(([value]) => value),
  );
  return new Map([...sums, ...applyDeltas(found, new Map(wanted))]);
}

function smallestSessions(counts: Iterable<Counts>): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (const { sessions } of counts) smallest = Math.min(smallest, sessions);
  return smallest;
}
