import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

const ITEMS_PER_ROUND = 160;
/** Low, because an item can need much memory, for example for a long transcript or a file of the maximum size. */
const CONCURRENCY = 4;

export type SweepTask<Item, Outcome extends string> = {
  /** Returns at most `limit` due items, sorted by due time. */
  findDue: (nowMs: number, limit: number) => Promise<Item[]>;
  /** Processes one item. Returns a failure as an outcome instead of throwing. */
  processItem: (item: Item) => Promise<Outcome>;
  /**
   * Whether the outcome changed the item. A round without progress is the last round, because the next round would find
   * the same items.
   */
  isProgress: (outcome: Outcome) => boolean;
  /** A sweep starts no item after this time. Leave enough of the function's timeout for the items that are running. */
  timeLimitMs: number;
};

/**
 * Processes due items, several concurrently, until a round makes no progress or the time is over. The next run
 * processes the remaining items. The metric `SweepBacklog` counts the items of the last round that were not started
 * (ADR 0008).
 *
 * @returns the number of items by outcome
 */
export async function sweep<Item, Outcome extends string>(
  { findDue, processItem, isProgress, timeLimitMs }: SweepTask<Item, Outcome>,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<Map<Outcome, number>> {
  const counts = new Map<Outcome, number>();
  const endMs = clock.now() + timeLimitMs;
  let backlog: Item[];
  let hasProgress: boolean;
  do {
    backlog = await findDue(clock.now(), ITEMS_PER_ROUND);
    hasProgress = false;
    const work = async () => {
      while (clock.now() < endMs) {
        const item = backlog.shift();
        if (item === undefined) return;
        const outcome = await processItem(item);
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        hasProgress ||= isProgress(outcome);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  } while (hasProgress && clock.now() < endMs);
  if (backlog.length > 0) log.recordMetric('SweepBacklog', backlog.length);
  return counts;
}
