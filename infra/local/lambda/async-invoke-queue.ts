import { setTimeout as delay } from 'node:timers/promises';
import type { ReportError } from '../common/output.ts';

type Invocation = { functionId: string; run(): Promise<unknown> };

export type AsyncInvokeQueue = {
  /** Returns false if the queue is full or stopping. */
  add(invocation: Invocation): boolean;
  /** Waits for running invocations and drops queued invocations. */
  stop(): Promise<void>;
};

type Settings = {
  reportError: ReportError;
  /** Delays before the retries. Default: 1 s and 2 s. Lambda waits for 1 and 2 minutes. */
  retryDelaysMs?: readonly number[];
};

const RETRY_DELAYS_MS = [1_000, 2_000];
const CONCURRENCY = 4;
const INVOCATIONS_MAX = 1_000;

/**
 * The stand-in for Lambda's queue of asynchronous invocations, in memory and with two retries. A kill loses the queue.
 * Sweepers find the unfinished work in the tables and start it again (ADR 0008).
 */
export function createAsyncInvokeQueue({ reportError, retryDelaysMs = RETRY_DELAYS_MS }: Settings): AsyncInvokeQueue {
  const stopping = new AbortController();
  const waiting: { invocation: Invocation; failures: number }[] = [];
  const running = new Set<Promise<void>>();
  let unfinished = 0;

  const attempt = async (invocation: Invocation, failures: number): Promise<void> => {
    try {
      await invocation.run();
      unfinished -= 1;
    } catch (error) {
      const delayMs = retryDelaysMs[failures];
      const attempts = `attempt ${failures + 1} of ${retryDelaysMs.length + 1}`;
      const next = delayMs === undefined ? 'Giving up' : 'Retrying';
      reportError(`${invocation.functionId} failed (${attempts}). ${next}`, error);
      if (delayMs === undefined) unfinished -= 1;
      else void retry(invocation, failures + 1, delayMs);
    }
  };
  const retry = async (invocation: Invocation, failures: number, delayMs: number): Promise<void> => {
    await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    waiting.push({ invocation, failures });
    startNext();
  };
  const startNext = (): void => {
    while (running.size < CONCURRENCY && !stopping.signal.aborted) {
      const next = waiting.shift();
      if (next === undefined) return;
      const run = attempt(next.invocation, next.failures).finally(() => {
        running.delete(run);
        startNext();
      });
      running.add(run);
    }
  };
  return {
    add: (invocation) => {
      if (unfinished >= INVOCATIONS_MAX || stopping.signal.aborted) return false;
      unfinished += 1;
      waiting.push({ invocation, failures: 0 });
      startNext();
      return true;
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
