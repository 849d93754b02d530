import { type CountsByGroup, type Grouping, TOP_VALUES_MAX } from '../facts/counts.ts';
import type { SessionCriteria } from '../facts/criteria.ts';
import type { FactFile } from '../facts/fact-files.ts';
import { isBase } from '../facts/manifest.ts';
import type { FactReader, FreshFactRepository, ManifestRepository } from '../facts/ports.ts';
import { applyDeltas, applyDeltasToTopValues, computeDeltas } from './deltas.ts';
import type { DirtySession, DirtySessionCache } from './dirty-sessions.ts';

export type SnapshotPorts = {
  fresh: Pick<FreshFactRepository, 'read'>;
  manifests: Pick<ManifestRepository, 'read'>;
  factReader: FactReader;
  /** A cache that was created with the same `factReader` and lives as long as the process. */
  dirtySessionCache: DirtySessionCache;
};

/** All sessions of a funnel: the immutable base files, and the sessions that differ from the base. ADR 0003. */
export type Snapshot = {
  base: readonly FactFile[];
  /** The dirty sessions whose merged fact differs from their fact in the base. */
  changedSessions: readonly DirtySession[];
  /** Time of the first session, milliseconds since the epoch; Infinity without sessions. */
  firstSessionMs: number;
};

/**
 * Reads fresh facts, then the manifest, then files. In this order no fact is missed, because compaction removes fresh
 * facts only after the manifest lists their file. A fact that is read twice merges with itself.
 *
 * If the generation changes while the fresh facts are being read, reads fresh facts and manifest again. Otherwise,
 * facts that were read before an erasure could be cached after it. The generation before the read comes from the cache.
 * If this generation is old, both are read again. If the funnel is not cached, reads the manifest first.
 */
export async function takeSnapshot(ports: SnapshotPorts, funnelId: string): Promise<Snapshot> {
  let generation = ports.dirtySessionCache.generation(funnelId) ?? (await readGenerationAndPrefetch(ports, funnelId));
  for (;;) {
    const fresh = await ports.fresh.read(funnelId);
    const manifest = await ports.manifests.read(funnelId);
    if (manifest.generation === generation) {
      const base = manifest.files.filter(isBase);
      const { changedSessions, firstMs } = await ports.dirtySessionCache.mergeAndListChanged(funnelId, {
        fresh,
        manifest,
      });
      return { base, changedSessions, firstSessionMs: Math.min(firstMs, ...base.map(({ minTimeMs }) => minTimeMs)) };
    }
    generation = manifest.generation;
  }
}

/**
 * Reads the manifest for its generation. Also starts to load the funnel's files while the fresh facts are being read,
 * because the first read of a funnel needs many files. The snapshot uses the files of the manifest that is read later.
 */
async function readGenerationAndPrefetch({ manifests, factReader }: SnapshotPorts, funnelId: string): Promise<number> {
  const { generation, files } = await manifests.read(funnelId);
  // Deferred until the request for the fresh facts is sent, because loading DuckDB blocks the process.
  setImmediate(() => factReader.prefetch(files));
  return generation;
}

/** Number of top values per dimension that the first read of the base returns. */
const DEPTH = 2_000;
/**
 * Number of top values whose counts must be exact. A response lists one value less, because it omits the empty value.
 */
const EXACT = TOP_VALUES_MAX + 1;

type Limits = { depth?: number; exact?: number };

/**
 * Counts the sessions that match the criteria, by group. Adds deltas to the counts of the base, which
 * `FactReader.count` can cache. The counts of each dimension's `TOP_VALUES_MAX` top values are exact. The empty value
 * is not one of them. Other values may be missing.
 *
 * @param limits for tests: `exact` replaces `EXACT`, and `depth` replaces `DEPTH`
 */
export async function countSessions<G extends Grouping>(
  factReader: FactReader,
  { base, changedSessions }: Snapshot,
  criteria: SessionCriteria,
  by: readonly G[],
  { depth = DEPTH, exact = EXACT }: Limits = {},
): Promise<CountsByGroup<G>> {
  const groupings: readonly Grouping[] = by;
  const deltas = computeDeltas(changedSessions, criteria, groupings);
  const counted = await factReader.count(base, criteria, groupings, depth);
  const query = { factReader, base, criteria, exact };
  const counts: Partial<CountsByGroup> = {};
  for (const grouping of groupings) {
    const [inBase, groupDeltas] = [counted[grouping], deltas[grouping]];
    counts[grouping] =
      grouping === 'quarterHour'
        ? applyDeltas(inBase, groupDeltas)
        : await applyDeltasToTopValues({ ...query, dimension: grouping, deltas: groupDeltas }, inBase, depth);
  }
  return counts as CountsByGroup<G>;
}
