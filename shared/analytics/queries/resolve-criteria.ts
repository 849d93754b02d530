import type { Filters, ResolvedCriteria } from '../facts/criteria.ts';
import type { Granularity } from './buckets.ts';
import { type Range, toTimeBounds } from './range.ts';

/** The sessions that a query counts: those in the range that match the filters. */
export type AnalyticsCriteria = {
  range: Range;
  filters: Filters;
  /** For a timeseries only. */
  granularity?: Granularity | undefined;
};

/**
 * Resolves the time range, which may start at the funnel's first session.
 *
 * @param firstSessionMs see `Snapshot`
 */
export const resolveCriteria = ({ range, filters }: AnalyticsCriteria, firstSessionMs: number): ResolvedCriteria => ({
  ...toTimeBounds(range, firstSessionMs),
  filters,
});
