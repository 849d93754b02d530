import type { Filters, Selection } from '../facts/selection.ts';
import { type Range, toTimeBounds } from './range.ts';
import { type Snapshot, type SnapshotPorts, takeSnapshot } from './snapshot.ts';

/** Which sessions of which time range to count. */
export type AnalyticsCriteria = { range: Range; filters: Filters };

/** Takes a snapshot of a funnel, and resolves the criteria against it. */
export async function selectSessions(
  ports: SnapshotPorts,
  funnelId: string,
  { range, filters }: AnalyticsCriteria,
): Promise<{ snapshot: Snapshot; selection: Selection }> {
  const snapshot = await takeSnapshot(ports, funnelId);
  return { snapshot, selection: { ...toTimeBounds(range, snapshot.firstSessionMs), filters } };
}
