import { FACT_DIMENSIONS, type Fact } from './fact.ts';

export type Dimension = (typeof FACT_DIMENSIONS)[number];

export type Filters = { [dimension in Dimension]?: string | undefined };

/** A time range in milliseconds since the epoch: `sinceMs` inclusive, `untilMs` exclusive. */
export type TimeBounds = { sinceMs: number; untilMs: number };

/**
 * Which sessions are counted. Apply the criteria only to merged facts, because a merge can change time and
 * dimensions.
 */
export type SessionCriteria = TimeBounds & { filters: Filters };

/** Returns a function that returns whether a session matches the criteria. */
export function createMatcher({ sinceMs, untilMs, filters }: SessionCriteria): (fact: Fact) => boolean {
  const filtered = FACT_DIMENSIONS.filter((name) => filters[name] !== undefined);
  return (fact) =>
    fact.firstTimeMs >= sinceMs && fact.firstTimeMs < untilMs && filtered.every((name) => fact[name] === filters[name]);
}
