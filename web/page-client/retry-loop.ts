import type { TabLock } from './tab-lock.ts';

/**
 * Runs `attempt` in one tab at a time. If `attempt` resolves with a number, runs it again after that many milliseconds.
 *
 * @returns a function that sets when the next attempt runs, in milliseconds from now
 */
export function createRetryLoop(lock: TabLock, attempt: () => Promise<number | undefined>): (ms: number) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const runAfter = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const waitMs = await lock.run(attempt);
      if (waitMs !== undefined) runAfter(waitMs);
    }, ms);
  };
  return runAfter;
}
