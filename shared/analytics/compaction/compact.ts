import type { Clock } from '../../platform/clock.ts';
import { mergeAll } from '../facts/fact.ts';
import type { FactWriter } from '../facts/fact-files.ts';
import type { FreshFacts } from '../facts/fresh-facts.ts';
import { addFiles, type Manifests } from '../facts/manifest.ts';

export type CompactionPorts = { fresh: FreshFacts; manifests: Manifests; writer: FactWriter; clock: Clock };

/** A funnel's fresh facts are moved to a file when the oldest waits this long, */
const WAIT_MS = 60_000;
/** or when so many slow the reads. */
const FACTS_MAX = 5_000;

export type Compaction = { funnelId: string } & (
  | { outcome: 'compacted'; facts: number }
  | { outcome: 'nothing left' }
  | { outcome: 'failed'; cause: unknown }
);

/** Compacts every funnel that is due, the longest waiting first; a failure of one costs the others nothing. */
export async function compactDue(ports: CompactionPorts): Promise<Compaction[]> {
  const waiting = await ports.fresh.waiting();
  const dueSince = ports.clock.now() - WAIT_MS;
  const due = waiting.filter(({ oldestMs, facts }) => oldestMs <= dueSince || facts >= FACTS_MAX);
  const compactions: Compaction[] = [];
  for (const { funnelId } of due.sort((a, b) => a.oldestMs - b.oldestMs))
    compactions.push(await compact(ports, funnelId).catch((cause) => ({ funnelId, outcome: 'failed', cause })));
  return compactions;
}

/**
 * Minor compaction: the fresh items become one file of amendments. Only what was read is removed, and only after the
 * manifest lists the file; stopped after any step, or run twice, it leaves facts that are there twice and merge.
 */
async function compact({ fresh, manifests, writer }: CompactionPorts, funnelId: string): Promise<Compaction> {
  const items = await fresh.read(funnelId);
  const facts = [...mergeAll(items.flatMap((item) => item.facts)).values()];
  if (facts.length > 0) {
    const file = await writer.write(funnelId, facts);
    await addFiles(manifests, funnelId, [file], () => '1');
  }
  await fresh.remove(
    funnelId,
    items.map(({ ref }) => ref),
  );
  return facts.length > 0
    ? { funnelId, outcome: 'compacted', facts: facts.length }
    : { funnelId, outcome: 'nothing left' };
}
