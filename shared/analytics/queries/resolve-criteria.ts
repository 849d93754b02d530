import type { Filters, SessionCriteria } from '../facts/criteria.ts';
import type { Granularity } from './buckets.ts';
import { type Range, toTimeBounds } from './range.ts';

/** The sessions that an analytics operation counts: those in the range that match the filters. */
export type AnalyticsCriteria = {
  range: Range;
  filters: Filters;
  /** For a timeseries only. */
  granularity?: Granularity | undefined;
};

/**
 * Converts the range to time bounds. Only the range `all` depends on `firstSessionMs`.
 *
 * @param firstSessionMs see `Snapshot`
 */
export const resolveCriteria = ({ range, filters }: AnalyticsCriteria, firstSessionMs: number): SessionCriteria => ({
  ...toTimeBounds(range, firstSessionMs),
  filters,
});
