import type { Clock } from '../../platform/clock.ts';
import type { TimeBudget } from '../../platform/time-budget.ts';
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

/** A minor compaction is due when the oldest fresh fact has this age. */
const PENDING_MS_MAX = 60_000;
/** A minor compaction is also due when a funnel has this many fresh facts, because they slow down queries. */
const PENDING_FACTS_MAX = 5_000;
/** Facts in memory at a time, over all funnels that are being compacted: about 100 MB. */
const FACTS_IN_MEMORY_MAX = 200_000;
/** Most funnels have few facts, so their compactions mainly wait for I/O. */
export const MINOR_COMPACTION_CONCURRENCY = 8;
/** The longest time that writing one file takes. */
const FILE_MS_MAX = 20_000;

export type MinorCompactionResult = { funnelId: string } & (
  | { outcome: 'compacted'; facts: number; files: number }
  | { outcome: 'empty' }
  /** The files were not committed (`commitFiles`), usually because facts were erased or rebuilt at the same time. */
  | { outcome: 'superseded'; facts: number; files: number }
  /** The time budget ended. The next run compacts the rest. */
  | { outcome: 'out_of_time'; facts: number; files: number }
  | { outcome: 'failed'; cause: unknown }
);

type Run = TimeBudget & {
  factsInMemoryMax: number;
  /** Called first, with the age of the oldest fresh fact of all funnels. */
  onOldestPending?: (oldestAgeMs: number) => void;
};

/**
 * Runs a minor compaction (fresh facts to level 1) for every funnel that is due, oldest first. A failure does not stop the
 * other funnels.
 */
export async function runMinorCompactions(
  ports: MinorCompactionPorts,
  given: Partial<Run> = {},
): Promise<MinorCompactionResult[]> {
  const run = { remainingMs: () => Number.POSITIVE_INFINITY, factsInMemoryMax: FACTS_IN_MEMORY_MAX, ...given };
  const now = ports.clock.now();
  const pending = (await ports.fresh.listPendingFunnels()).sort((a, b) => a.oldestMs - b.oldestMs);
  run.onOldestPending?.(Math.max(0, now - (pending[0]?.oldestMs ?? now)));
  // Times far in the future come from a clock that was ahead: these funnels are due too.
  const due = pending.filter(
    ({ oldestMs, facts }) =>
      oldestMs <= now - PENDING_MS_MAX || facts >= PENDING_FACTS_MAX || oldestMs > now + PENDING_MS_MAX,
  );
  const compactions: MinorCompactionResult[] = [];
  const workers = Math.min(MINOR_COMPACTION_CONCURRENCY, due.length);
  const fileFactsMax = Math.max(1, Math.floor(run.factsInMemoryMax / workers));
  // All workers take from one iterator, as long as the time budget suffices for one more file.
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

/** Moves all fresh facts of a funnel to level 1 files, one file after another. */
async function compact(
  ports: MinorCompactionPorts,
  funnelId: string,
  run: TimeBudget & { fileFactsMax: number },
): Promise<MinorCompactionResult> {
  const done = { facts: 0, files: 0 };
  for (;;) {
    const page = await compactPage(ports, funnelId, run.fileFactsMax);
    if (page.facts > 0) done.facts += page.facts;
    if (page.facts > 0) done.files++;
    if (page.outcome === 'all' && done.files === 0) return { funnelId, outcome: 'empty' };
    if (page.outcome === 'all') return { funnelId, outcome: 'compacted', ...done };
    if (page.outcome === 'superseded') return { funnelId, outcome: 'superseded', ...done };
    if (run.remainingMs() < FILE_MS_MAX) return { funnelId, outcome: 'out_of_time', ...done };
  }
}

type Page = { outcome: 'all' | 'more' | 'superseded'; facts: number };

/**
 * Writes one file, commits it, and only then removes the fresh facts that it holds. A crash after any step, or a second
 * run, leaves facts in both places, which merge. After a change of the generation the file is not committed, because the
 * facts may have been erased since they were read.
 */
async function compactPage(ports: MinorCompactionPorts, funnelId: string, fileFactsMax: number): Promise<Page> {
  const { manifests, fresh, writer } = ports;
  const before = await manifests.read(funnelId);
  const beganMs = ports.clock.now();
  const { items, all } = await fresh.readBatch(funnelId, fileFactsMax);
  const outcome = all ? 'all' : 'more';
  const facts = [...mergeFactsBySession(items.flatMap((item) => item.facts)).values()];
  if (facts.length > 0) {
    const file = await writer.write(funnelId, facts, all ? beganMs : latestCompleteUntilMs(before.files));
    const result = await commitFiles(ports, funnelId, [file], beganMs, (read) =>
      read.generation === before.generation ? { ...read, files: [...read.files, { ...file, level: '1' }] } : undefined,
    );
    if (result === 'superseded') return { outcome: 'superseded', facts: 0 };
  }
  const refs = items.map(({ ref }) => ref);
  await fresh.remove(funnelId, refs);
  return { outcome, facts: facts.length };
}
