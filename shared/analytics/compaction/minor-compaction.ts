import type { Clock } from '../../platform/clock.ts';
import type { RemainingTime } from '../../platform/remaining-time.ts';
import { commitFiles } from '../facts/commit-files.ts';
import { mergeFactsBySession } from '../facts/fact.ts';
import { latestCompleteUntilMs } from '../facts/manifest.ts';
import type { FactWriter, FreshFactRepository, ManifestRepository } from '../facts/ports.ts';

export type MinorCompactionPorts = {
  fresh: FreshFactRepository;
  manifests: ManifestRepository;
  writer: FactWriter;
  clock: Clock;
};

/** A minor compaction is due when the oldest fresh fact of a funnel has this age. */
const PENDING_MS_MAX = 60_000;
/** A minor compaction is also due when a funnel has this many fresh facts, because they slow down reads. */
const PENDING_FACTS_MAX = 5_000;
/** Maximum facts in memory, of all funnels that are compacted at the same time: about 100 MB. */
const FACTS_IN_MEMORY_MAX = 200_000;
/** Most funnels have few facts, so their compactions mainly wait for I/O. */
export const MINOR_COMPACTION_CONCURRENCY = 8;
/** The write of one file takes less time than this. A write begins only if at least this time is left. */
const FILE_MS_MAX = 20_000;

export type MinorCompactionResult = { funnelId: string } & (
  | { outcome: 'compacted'; facts: number; files: number }
  /** There was no fact to write: no fresh fact, or only facts of erased sessions. */
  | { outcome: 'empty' }
  /**
   * The last file was superseded (`commitFiles`), usually because facts were erased or rebuilt at the same time.
   * `facts` and `files` count what was committed before.
   */
  | { outcome: 'superseded'; facts: number; files: number }
  /** The run is out of time. The next run compacts the remaining facts. */
  | { outcome: 'out_of_time'; facts: number; files: number }
  | { outcome: 'failed'; cause: unknown }
);

type Run = RemainingTime & {
  factsInMemoryMax: number;
  /**
   * Called before the first compaction with the age of the oldest fresh fact of all funnels, or 0 if no fact is
   * pending.
   */
  onOldestPending?: (oldestAgeMs: number) => void;
};

/**
 * Runs a minor compaction (fresh facts to level 1) for the funnels that are due, until the run is out of time. The
 * funnel with the oldest fresh fact is first. A failure does not stop the other funnels.
 */
export async function runMinorCompactions(
  ports: MinorCompactionPorts,
  given: Partial<Run> = {},
): Promise<MinorCompactionResult[]> {
  const run = { remainingMs: () => Number.POSITIVE_INFINITY, factsInMemoryMax: FACTS_IN_MEMORY_MAX, ...given };
  const now = ports.clock.now();
  const pending = (await ports.fresh.listPendingFunnels()).sort((a, b) => a.oldestMs - b.oldestMs);
  run.onOldestPending?.(Math.max(0, now - (pending[0]?.oldestMs ?? now)));
  // If the time of the oldest fact is far in the future, a clock was ahead. The funnel is due then, too.
  const due = pending.filter(
    ({ oldestMs, factCount }) =>
      oldestMs <= now - PENDING_MS_MAX || factCount >= PENDING_FACTS_MAX || oldestMs > now + PENDING_MS_MAX,
  );
  const compactions: MinorCompactionResult[] = [];
  const workers = Math.min(MINOR_COMPACTION_CONCURRENCY, due.length);
  const fileFactsMax = Math.max(1, Math.floor(run.factsInMemoryMax / workers));
  // All workers take funnels from one iterator, until the time left is too short for another file.
  const dueEntries = due.entries();
  const work = async () => {
    while (run.remainingMs() >= FILE_MS_MAX) {
      const next = dueEntries.next();
      if (next.done) return;
      const [index, { funnelId }] = next.value;
      const compacted = compact(ports, funnelId, { ...run, fileFactsMax });
      compactions[index] = await compacted.catch((cause: unknown) => ({ funnelId, outcome: 'failed', cause }));
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return compactions;
}

/** Moves the fresh facts of a funnel to level 1 files, one file after another, until the run is out of time. */
async function compact(
  ports: MinorCompactionPorts,
  funnelId: string,
  run: RemainingTime & { fileFactsMax: number },
): Promise<MinorCompactionResult> {
  const done = { facts: 0, files: 0 };
  for (;;) {
    const batch = await compactBatch(ports, funnelId, run.fileFactsMax);
    done.facts += batch.factCount;
    if (batch.factCount > 0) done.files++;
    if (batch.outcome === 'all' && done.files === 0) return { funnelId, outcome: 'empty' };
    if (batch.outcome === 'all') return { funnelId, outcome: 'compacted', ...done };
    if (batch.outcome === 'superseded') return { funnelId, outcome: 'superseded', ...done };
    if (run.remainingMs() < FILE_MS_MAX) return { funnelId, outcome: 'out_of_time', ...done };
  }
}

type Batch = { outcome: 'all' | 'more' | 'superseded'; factCount: number };

/**
 * Writes the facts of a batch of fresh items to one file, commits the file, and only then deletes the items. A crash
 * after the commit leaves the same facts in the file and in the items. This is harmless, because facts merge. If the
 * generation has changed, the file is not committed, because its facts may have been erased since they were read.
 */
async function compactBatch(ports: MinorCompactionPorts, funnelId: string, fileFactsMax: number): Promise<Batch> {
  const { manifests, fresh, writer } = ports;
  const before = await manifests.read(funnelId);
  const beganMs = ports.clock.now();
  const { items, isLast } = await fresh.readBatch(funnelId, fileFactsMax);
  const outcome = isLast ? 'all' : 'more';
  const facts = [...mergeFactsBySession(items.flatMap((item) => item.facts)).values()];
  if (facts.length > 0) {
    // If the batch has all fresh facts, the files are complete after the commit: they contain every fact that was
    // stored before `beganMs` (`FactFile.completeUntilMs`).
    const file = await writer.write(funnelId, facts, isLast ? beganMs : latestCompleteUntilMs(before.files));
    const result = await commitFiles(ports, funnelId, [file], beganMs, (read) =>
      read.generation === before.generation ? { ...read, files: [...read.files, { ...file, level: '1' }] } : undefined,
    );
    if (result === 'superseded') return { outcome: 'superseded', factCount: 0 };
  }
  const refs = items.map(({ ref }) => ref);
  await fresh.remove(funnelId, refs);
  return { outcome, factCount: facts.length };
}
