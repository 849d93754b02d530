import { runMajorCompactions } from '../../../../shared/analytics/compaction/major-compaction.ts';
import { runMinorCompactions } from '../../../../shared/analytics/compaction/minor-compaction.ts';
import { sweepFactFiles } from '../../../../shared/analytics/compaction/sweep-fact-files.ts';
import { isLevel1, type ListedFile } from '../../../../shared/analytics/facts/manifest.ts';
import type { FreshFactRepository, ManifestRepository } from '../../../../shared/analytics/facts/ports.ts';
import { readAcquisition } from '../../../../shared/analytics/queries/acquisition.ts';
import { readOverview } from '../../../../shared/analytics/queries/overview.ts';
import { resolveRange } from '../../../../shared/analytics/queries/range.ts';
import type { SnapshotPorts } from '../../../../shared/analytics/queries/snapshot.ts';
import { readTimeseries } from '../../../../shared/analytics/queries/timeseries.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { asNewProcess } from '../analytics.ts';
import { createMemoryManifests } from '../memory-manifests.ts';
import { type EffectInterceptor, ignoreCrash } from './intercept-effects.ts';
import { keyedFresh } from './keyed-fresh.ts';
import type { Asked } from './oracle-reads.ts';
import { type StoredFiles, storedFiles } from './stored-files.ts';

/** Runs the compactions, the sweep and the reads of the service for the model-based tests. */

export type Ports = StoredFiles & { fresh: FreshFactRepository; manifests: ManifestRepository };

/** `restart` replaces the first reader by a new process without a cache. */
export type ProductStores = { ports: Ports; readers: () => readonly SnapshotPorts[]; restart: () => void };

export type Upkeep = Record<'minor' | 'major' | 'sweep', (ports: Ports & { clock: Clock }) => Promise<void>>;

/** Creates two reading processes that share these ports. */
export function storesOver(ports: Ports): ProductStores {
  const process = (): SnapshotPorts =>
    asNewProcess({
      fresh: { ...ports.fresh },
      manifests: { ...ports.manifests },
      factReader: { ...ports.factReader },
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

/** The limits are so low that a few sessions need several files. */
const BASE_FILE_SESSIONS_MAX = 2;
const PAGE_FACTS_MAX = 3;

/** @param pages is called for each page of fresh facts */
export const memoryPorts = (clock: Clock, pages?: EffectInterceptor): Ports => ({
  ...storedFiles(clock, BASE_FILE_SESSIONS_MAX),
  fresh: keyedFresh(pages),
  manifests: createMemoryManifests(),
});

export const memoryStores = (clock: Clock): ProductStores => storesOver(memoryPorts(clock));

/** Like `memoryStores`, but with base files for many sessions. */
export const roomyStores = (clock: Clock): ProductStores =>
  storesOver({ ...memoryPorts(clock), ...storedFiles(clock, 100) });

/** Runs the work of the background functions. Compactions process all pending facts, even if they are not due yet. */
export const upkeep: Upkeep = {
  minor: async (ports) =>
    unlessFailed(await runMinorCompactions(ports, { factsInMemoryMax: PAGE_FACTS_MAX }).catch(ignoreCrash)),
  major: async (ports) => {
    const isDue = ({ files }: { files: readonly ListedFile[] }) => files.some(isLevel1);
    unlessFailed(await runMajorCompactions(ports, { isDue }).catch(ignoreCrash));
  },
  sweep: async ({ manifests, swept, clock }) =>
    unlessFailed(
      await sweepFactFiles({ manifests, fileStore: swept, clock }, { remainingMs: () => 900_000 }).catch(ignoreCrash),
    ),
};

function unlessFailed(outcomes: readonly ({ outcome: string } | { cause: unknown })[] | undefined): void {
  for (const outcome of outcomes ?? []) if ('cause' in outcome) ignoreCrash(outcome.cause);
}

/** Runs the three reads of a funnel with one query. */
export async function readAll(ports: SnapshotPorts, funnelId: string, query: Asked, nowMs: number) {
  const { filters, timezone, granularity, ...said } = query;
  const question = { range: resolveRange(said, timezone, nowMs), filters };
  const [overview, timeseries, acquisition] = await Promise.all([
    readOverview(ports, funnelId, question),
    readTimeseries(ports, funnelId, { ...question, granularity }),
    readAcquisition(ports, funnelId, question),
  ]);
  return { overview, timeseries, acquisition };
}
