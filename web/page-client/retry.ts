import { type Backoff, backOff } from './retry-schedule.ts';

/** If `Retry-After` is longer, there is no retry, because the visitor would wait too long. */
const WAIT_MAX_MS = 10_000;

type RetryOptions<T> = {
  isFinal(result: NoInfer<T>): boolean;
  attemptsMax: number;
  signal?: AbortSignal | undefined;
};

/**
 * Repeats a request while the visitor waits, until a result is final. Retries immediately when the browser goes online.
 * Also ends after the last attempt, after an abort, and after a `Retry-After` of more than 10 seconds.
 *
 * @param attempt resolves with undefined if there is no response
 * @returns the result of the last attempt
 */
export async function retry<T extends { retryAfterMs: number }>(
  attempt: () => Promise<T | undefined>,
  { isFinal, attemptsMax, signal }: RetryOptions<T>,
): Promise<T | undefined> {
  let backoff: Backoff | undefined;
  for (let count = 1; ; count += 1) {
    const result = await attempt();
    const retryAfterMs = result?.retryAfterMs ?? 0;
    if ((result && isFinal(result)) || count === attemptsMax || retryAfterMs > WAIT_MAX_MS) return result;
    // Counts from time 0, so that a change of the clock does not matter.
    backoff = backOff(backoff, retryAfterMs, 0);
    await pause(backoff.untilMs, signal);
    if (signal?.aborted) return result;
  }
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const listeners = new AbortController();
    const end = () => {
      clearTimeout(timer);
      listeners.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end, { signal: listeners.signal });
    signal?.addEventListener('abort', end, { signal: listeners.signal });
    if (signal?.aborted) end();
  });
