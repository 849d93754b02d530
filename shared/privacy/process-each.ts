/** What ends a piece of work before its time: see `each`. */
export type ProcessingBounds = {
  atOnce: number;
  /** Whether there is time for another one. */
  hasTime: () => boolean;
  /** So many failures in a row say that something they all need is down. */
  failuresMax: number;
};

/** `all`: each was come to. `out_of_time`, `gave_up`: some were not. */
export type ProcessingEnd = 'all' | 'out_of_time' | 'gave_up';

/**
 * Does something for each, some at a time, and holds no more of them than that.
 *
 * @param work resolves to false for one that failed; must not throw
 */
export async function processEach<T>(
  these: AsyncIterable<T>,
  { atOnce, hasTime, failuresMax }: ProcessingBounds,
  work: (one: T) => Promise<boolean>,
): Promise<ProcessingEnd> {
  const left = these[Symbol.asyncIterator]();
  let ended: ProcessingEnd | undefined;
  let failures = 0;
  const worker = async () => {
    while (ended === undefined) {
      if (!hasTime()) ended = 'out_of_time';
      else {
        const next = await left.next();
        if (next.done) ended ??= 'all';
        else {
          failures = (await work(next.value)) ? 0 : failures + 1;
          if (failures >= failuresMax) ended ??= 'gave_up';
        }
      }
    }
  };
  const done = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  await left.return?.();
  for (const one of done) if (one.status === 'rejected') throw one.reason;
  return ended ?? 'all';
}
