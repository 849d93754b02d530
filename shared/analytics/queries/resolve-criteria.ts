import type { Filters, ResolvedCriteria } from '../facts/criteria.ts';
import type { Granularity } from './buckets.ts';
import { type Range, toTimeBounds } from './range.ts';
import { type Snapshot, type SnapshotPorts, takeSnapshot } from './snapshot.ts';

/** Which sessions of which time range to count. */
export type AnalyticsCriteria = {
  range: Range;
  filters: Filters;
  /** For a timeseries only. */
  granularity?: Granularity | undefined;
};

/** Takes a snapshot of a funnel, and resolves the time range: it may start at the funnel's first session. */
export async function resolveCriteria(
  ports: SnapshotPorts,
  funnelId: string,
  { range, filters }: AnalyticsCriteria,
): Promise<{ snapshot: Snapshot; resolved: ResolvedCriteria }> {
  const snapshot = await takeSnapshot(ports, funnelId);
  return { snapshot, resolved: { ...toTimeBounds(range, snapshot.firstSessionMs), filters } };
}
