import type { Filters, Selection } from './filters.ts';
import { boundsOf, type Range } from './range.ts';
import { type Snapshot, type SnapshotPorts, takeSnapshot } from './snapshot.ts';

/** What a read is asked: when, and which sessions. */
export type Question = { range: Range; filters: Filters };

/** What is known of a funnel, and which of its sessions a question is about. */
export async function selectSessions(
  ports: SnapshotPorts,
  funnelId: string,
  { range, filters }: Question,
): Promise<{ snapshot: Snapshot; selection: Selection }> {
  const snapshot = await takeSnapshot(ports, funnelId);
  return { snapshot, selection: { ...boundsOf(range, snapshot.firstSessionMs), filters } };
}
