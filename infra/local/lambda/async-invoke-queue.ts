import { setTimeout as delay } from 'node:timers/promises';
import type { ReportError } from '../common/output.ts';

type QueuedInvocation = { what: string; run(): Promise<unknown> };

export type AsyncInvokeQueue = {
  /** False when it is full: whoever asks has to come again. */
  add(event: QueuedInvocation): boolean;
  /** Lets the runs under way end; what still waits is gone. */
  stop(): Promise<void>;
};

type Settings = {
  report: ReportError;
  /** Before each further attempt; Lambda waits a minute and two. */
  pausesMs?: readonly number[];
};

const PAUSES_MS = [1_000, 2_000];
const AT_ONCE = 4;
const HELD_MAX = 1_000;

/**
 * Lambda's queue of asynchronous invocations, in memory: a run that fails is tried twice more, a handful run at once. What
 * a kill loses is a state in the tables too, which the sweeper takes up.
 */
export function createAsyncInvokeQueue({ report, pausesMs = PAUSES_MS }: Settings): AsyncInvokeQueue {
  const ending = new AbortController();
  const waiting: { event: QueuedInvocation; failures: number }[] = [];
  const running = new Set<Promise<void>>();
  let held = 0;

  const attempt = async (event: QueuedInvocation, failures: number): Promise<void> => {
    try {
      await event.run();
      held -= 1;
    } catch (error) {
      const pauseMs = pausesMs[failures];
      const then = pauseMs === undefined ? 'and is given up' : 'and is tried again';
      report(`${event.what} failed (attempt ${failures + 1} of ${pausesMs.length + 1}) ${then}`, error);
      if (pauseMs === undefined) held -= 1;
      else void again(event, failures + 1, pauseMs);
    }
  };
  const again = async (event: QueuedInvocation, failures: number, pauseMs: number): Promise<void> => {
    await delay(pauseMs, undefined, { signal: ending.signal }).catch(() => undefined);
    waiting.push({ event, failures });
    startNext();
  };
  const startNext = (): void => {
    while (running.size < AT_ONCE && !ending.signal.aborted) {
      const next = waiting.shift();
      if (next === undefined) return;
      const run = attempt(next.event, next.failures).finally(() => {
        running.delete(run);
        startNext();
      });
      running.add(run);
    }
  };
  return {
    add: (event) => {
      if (held >= HELD_MAX || ending.signal.aborted) return false;
      held += 1;
      waiting.push({ event, failures: 0 });
      startNext();
      return true;
    },
    stop: async () => {
      ending.abort();
      await Promise.all(running);
    },
  };
}
