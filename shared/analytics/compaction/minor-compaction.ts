import type { Clock } from '../../platform/clock.ts';
import type { TimeBudget } from '../../platform/time-budget.ts';
import { commitFiles } from '../facts/commit-files.ts';
import { type Fact, mergeFactsBySession } from '../facts/fact.ts';
import type { FactWriter } from '../facts/fact-files.ts';
import type { FreshFactRepository } from '../facts/fresh-facts.ts';
import { latestCompleteUntilMs, type ManifestRepository } from '../facts/manifest.ts';

export type MinorCompactionPorts = {
  fresh: FreshFactRepository;
  manifests: ManifestRepository;
  writer: FactWriter;
  clock: Clock;
};

/** A funnel's fresh facts are moved to a file when the oldest waits this long, */
const WAIT_MS = 60_000;
/** or when so many slow the reads. */
const FACTS_MAX = 5_000;
/** So many are in memory at a time, of all funnels that are being compacted: 100 MB. */
const FILE_FACTS_MAX = 200_000;
/** Most funnels have a few facts each, and their compactions wait for stores: so many of them wait together. */
export const MINOR_COMPACTION_CONCURRENCY = 8;
/** The longest that a file of them takes. */
const FILE_MS_MAX = 20_000;

export type MinorCompactionResult = { funnelId: string } & (
  | { outcome: 'compacted'; facts: number; files: number }
  | { outcome: 'nothing left' }
  /** Facts of the funnel were taken away meanwhile, or time ran out: the rest stays fresh and comes next time. */
  | { outcome: 'interrupted'; facts: number; files: number }
  | { outcome: 'failed'; cause: unknown }
);

type Run = TimeBudget & {
  fileFactsMax: number;
  /** Learns how long the oldest fresh fact of all funnels waits, before anything is done. */
  backlog?: (oldestWaitMs: number) => void;
};

/** Compacts every funnel that is due, the longest waiting first; a failure of one costs the others nothing. */
export async function runMinorCompactions(
  ports: MinorCompactionPorts,
  given: Partial<Run> = {},
): Promise<MinorCompactionResult[]> {
  const run = { remainingMs: () => Number.POSITIVE_INFINITY, fileFactsMax: FILE_FACTS_MAX, ...given };
  const now = ports.clock.now();
  const waiting = (await ports.fresh.listPendingFunnels()).sort((a, b) => a.oldestMs - b.oldestMs);
  run.backlog?.(Math.max(0, now - (waiting[0]?.oldestMs ?? now)));
  // A clock that was ahead when they came: they are not waited for.
  const due = waiting.filter(
    ({ oldestMs, facts }) => oldestMs <= now - WAIT_MS || facts >= FACTS_MAX || oldestMs > now + WAIT_MS,
  );
  const compactions: MinorCompactionResult[] = [];
  const workers = Math.min(MINOR_COMPACTION_CONCURRENCY, due.length);
  const share = { ...run, fileFactsMax: Math.max(1, Math.floor(run.fileFactsMax / workers)) };
  // They share one iterator: each takes the next one that nobody has taken, as long as there is time for what it takes.
  const left = due.entries();
  const work = async () => {
    while (run.remainingMs() >= FILE_MS_MAX) {
      const next = left.next();
      if (next.done) return;
      const [at, { funnelId }] = next.value;
      const compacted = compact(ports, funnelId, share);
      compactions[at] = await compacted.catch((cause: unknown) => ({ funnelId, outcome: 'failed', cause }));
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return compactions;
}

/** Minor compaction: the fresh items become files of amendments, one after another, to the last item. */
async function compact(ports: MinorCompactionPorts, funnelId: string, run: Run): Promise<MinorCompactionResult> {
  const done = { facts: 0, files: 0 };
  for (;;) {
    const page = await compactPage(ports, funnelId, run.fileFactsMax);
    if (page.facts > 0) done.facts += page.facts;
    if (page.facts > 0) done.files++;
    if (page.outcome === 'all' && done.files === 0) return { funnelId, outcome: 'nothing left' };
    if (page.outcome === 'all') return { funnelId, outcome: 'compacted', ...done };
    if (page.outcome === 'outdated' || run.remainingMs() < FILE_MS_MAX)
      return { funnelId, outcome: 'interrupted', ...done };
  }
}

type Page = { outcome: 'all' | 'more' | 'outdated'; facts: number };

/**
 * Only what was read is removed, and only after the manifest lists its file; stopped after any step, or run twice, it
 * leaves facts that are there twice and merge. What was taken away of the funnel since the manifest was read may be
 * among the facts: then nothing is listed.
 */
async function compactPage(ports: MinorCompactionPorts, funnelId: string, fileFactsMax: number): Promise<Page> {
  const { manifests, fresh, writer } = ports;
  const before = await manifests.read(funnelId);
  const beganMs = ports.clock.now();
  const { items, all } = await fresh.readBatch(funnelId, fileFactsMax);
  const outcome = all ? 'all' : 'more';
  const facts = mergedOf(items);
  if (facts.length > 0) {
    const file = await writer.write(funnelId, facts, all ? beganMs : latestCompleteUntilMs(before.files));
    const listing = await commitFiles(ports, funnelId, [file], beganMs, (read) =>
      read.generation === before.generation ? { ...read, files: [...read.files, { ...file, level: '1' }] } : undefined,
    );
    if (listing === 'outdated') return { outcome: 'outdated', facts: 0 };
  }
  const refs = items.map(({ ref }) => ref);
  await fresh.remove(funnelId, refs);
  return { outcome, facts: facts.length };
}

function mergedOf(items: readonly { facts: readonly Fact[] }[]): Fact[] {
  return [...mergeFactsBySession(items.flatMap(({ facts }) => facts)).values()];
}
