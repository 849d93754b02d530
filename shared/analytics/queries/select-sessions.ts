import type { Filters, Selection } from './filters.ts';
import { type Range, toTimeBounds } from './range.ts';
import { type Snapshot, type SnapshotPorts, takeSnapshot } from './snapshot.ts';

/** What a read is asked: when, and which sessions. */
export type AnalyticsCriteria = { range: Range; filters: Filters };

/** What is known of a funnel, and which of its sessions a question is about. */
export async function selectSessions(
  ports: SnapshotPorts,
  funnelId: string,
  { range, filters }: AnalyticsCriteria,
): Promise<{ snapshot: Snapshot; selection: Selection }> {
  const snapshot = await takeSnapshot(ports, funnelId);
  return { snapshot, selection: { ...toTimeBounds(range, snapshot.firstSessionMs), filters } };
}
