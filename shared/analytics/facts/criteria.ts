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

export function matchesCriteria(fact: Fact, { sinceMs, untilMs, filters }: SessionCriteria): boolean {
  if (fact.firstTimeMs < sinceMs || fact.firstTimeMs >= untilMs) return false;
  return FACT_DIMENSIONS.every((name) => filters[name] === undefined || fact[name] === filters[name]);
}
