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

/**
 * Creates a predicate for merged facts. Determines only once which filters are given, because the predicate is called
 * for each session.
 */
export function createSessionMatcher({ sinceMs, untilMs, filters }: SessionCriteria): (fact: Fact) => boolean {
  const filteredDimensions = FACT_DIMENSIONS.filter((name) => filters[name] !== undefined);
  return (fact) =>
    fact.firstTimeMs >= sinceMs &&
    fact.firstTimeMs < untilMs &&
    filteredDimensions.every((name) => fact[name] === filters[name]);
}
