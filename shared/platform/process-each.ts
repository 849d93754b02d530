export type ProcessingBounds = {
  concurrency: number;
  hasTime: () => boolean;
  /**
   * Processing stops after this many consecutive failures, because they are probably caused by an outage of a
   * dependency that all items need.
   */
  failuresMax: number;
};

/** `all`: every item was processed. `out_of_time`, `too_many_failures`: some items may not have been processed. */
export type ProcessingEnd = 'all' | 'out_of_time' | 'too_many_failures';

/**
 * Processes at most `concurrency` items at a time. Reads the next item only when it can be processed immediately.
 *
 * @param work resolves to false when the item failed; must not throw
 * @throws errors of `items`
 */
export async function processEach<T>(
  items: AsyncIterable<T>,
  { concurrency, hasTime, failuresMax }: ProcessingBounds,
  work: (item: T) => Promise<boolean>,
): Promise<ProcessingEnd> {
  const iterator = items[Symbol.asyncIterator]();
  let ended: ProcessingEnd | undefined;
  let failures = 0;
  const worker = async () => {
    while (ended === undefined) {
      if (!hasTime()) ended = 'out_of_time';
      else {
        const next = await iterator.next();
        if (next.done) ended ??= 'all';
        else {
          failures = (await work(next.value)) ? 0 : failures + 1;
          if (failures >= failuresMax) ended ??= 'too_many_failures';
        }
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  await iterator.return?.();
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return ended ?? 'all';
}
