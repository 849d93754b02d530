import { type CompactionPorts, compactDue } from '../../../shared/analytics/compaction/compact.ts';
import type { FreshFacts } from '../../../shared/analytics/facts/fresh-facts.ts';
import { readAcquisition } from '../../../shared/analytics/reads/acquisition.ts';
import { readOverview } from '../../../shared/analytics/reads/overview.ts';
import { rangeOf } from '../../../shared/analytics/reads/range.ts';
import type { SnapshotPorts } from '../../../shared/analytics/reads/snapshot.ts';
import { readTimeseries } from '../../../shared/analytics/reads/timeseries.ts';
import { memoryAnalytics } from '../analytics.ts';
import { type Around, unlessCrashed } from './effects.ts';
import { keyedFresh } from './keyed-fresh.ts';
import type { Asked } from './oracle-reads.ts';

/** The entry points of the service that the histories drive: everything else of it is unknown to them. */

type Ports = Omit<CompactionPorts, 'clock' | 'fresh'> & SnapshotPorts & { fresh: FreshFacts };

/** @property restart a new process, which remembers nothing */
export type ProductStores = { ports: Ports; readers: () => readonly SnapshotPorts[]; restart: () => void };

export type Upkeep = Record<
  'minor' | 'major' | 'sweep',
  (ports: Ports & Pick<CompactionPorts, 'clock'>) => Promise<void>
>;

/** A process that answers now and then, one that was there from the start, and what they share. */
export function storesOver(ports: Ports): ProductStores {
  const process = (): SnapshotPorts => ({
    fresh: { ...ports.fresh },
    manifests: { ...ports.manifests },
    files: { ...ports.files },
  });
  const readers = [process(), process()];
  return {
    ports,
    readers: () => readers,
    restart: () => {
      readers[0] = process();
    },
  };
}

/** @param pages waits before each page of fresh facts */
export const memoryPorts = (pages?: Around): Ports => ({ ...memoryAnalytics(), fresh: keyedFresh(pages) });

export const memoryStores = (): ProductStores => storesOver(memoryPorts());

export const upkeep: Upkeep = {
  minor: async (ports) => {
    const done = await compactDue(ports).catch(unlessCrashed);
    for (const compaction of done ?? []) if (compaction.outcome === 'failed') unlessCrashed(compaction.cause);
  },
  major: async () => undefined,
  sweep: async () => undefined,
};

/** All reads of a funnel to one query. */
export async function readAll(ports: SnapshotPorts, funnelId: string, asked: Asked, nowMs: number) {
  const { filters, timezone, granularity, ...said } = asked;
  const question = { range: rangeOf(said, timezone, nowMs), filters };
  const [overview, timeseries, acquisition] = await Promise.all([
    readOverview(ports, funnelId, question),
    readTimeseries(ports, funnelId, { ...question, granularity }),
    readAcquisition(ports, funnelId, question),
  ]);
  return { overview, timeseries, acquisition };
}
