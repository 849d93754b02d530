import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

const ITEMS_PER_ROUND = 160;
/** Each may hold what takes most memory: the transcript of a long conversation, a file of the greatest size. */
const CONCURRENCY = 4;

export type SweepTask<Item, Swept extends string> = {
  /** At most so many items that are due, the longest first. */
  findDue: (nowMs: number, most: number) => Promise<Item[]>;
  /** Looks after one; what makes trouble is told by what it returns, not thrown. */
  processItem: (item: Item) => Promise<Swept>;
  /** What an item has come further by. An index shows for a moment what is no longer due, and what failed would only fail again. */
  isProgress: (swept: Swept) => boolean;
  /** Nothing more is begun after that, so that what has been begun ends before the function's time is over. */
  timeLimitMs: number;
};

/**
 * Looks after what is due, a few at once, until nothing more comes along or the time is over. What is then left goes on
 * next time; how much that is, is counted as `SweepBacklog`.
 *
 * @returns how often each thing happened
 */
export async function sweep<Item, Swept extends string>(
  { findDue: due, processItem: one, isProgress: advances, timeLimitMs: runMsMax }: SweepTask<Item, Swept>,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<Map<Swept, number>> {
  const counts = new Map<Swept, number>();
  const endMs = clock.now() + runMsMax;
  let left: Item[];
  let advanced: boolean;
  do {
    left = await due(clock.now(), ITEMS_PER_ROUND);
    advanced = false;
    const work = async () => {
      while (clock.now() < endMs) {
        const item = left.shift();
        if (item === undefined) return;
        const swept = await one(item);
        counts.set(swept, (counts.get(swept) ?? 0) + 1);
        advanced ||= advances(swept);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  } while (advanced && clock.now() < endMs);
  if (left.length > 0) log.recordMetric('SweepBacklog', left.length);
  return counts;
}
