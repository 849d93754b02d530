import type { Clock } from '../platform/clock.ts';
import { DISPATCH_INTERVAL_MS, REPEAT_MS } from './dispatch-times.ts';

export type RepeatDispatchPorts = {
  /**
   * Runs the dispatcher, and waits until the run ends.
   *
   * @param end no work starts after this time. While the last attempts end, the next execution of `repeatDispatch` may
   *   start its first run.
   * @throws Error if the run could not be started
   */
  invokeDispatcher(end: { endMs: number }): Promise<unknown>;
  clock: Clock;
  sleep(ms: number): Promise<unknown>;
};

/**
 * Repeats runs of the dispatcher for a minute. Runs start at least `DISPATCH_INTERVAL_MS` apart; after a longer run,
 * the next one starts immediately. A run that cannot be started is tried again at the next interval.
 *
 * @throws after the last run, the first error of `invokeDispatcher`
 */
export async function repeatDispatch({ invokeDispatcher, clock, sleep }: RepeatDispatchPorts): Promise<void> {
  const endMs = clock.now() + REPEAT_MS;
  const errors: unknown[] = [];
  while (clock.now() < endMs) {
    const nextMs = clock.now() + DISPATCH_INTERVAL_MS;
    await invokeDispatcher({ endMs }).catch((error: unknown) => void errors.push(error));
    await sleep(Math.max(0, nextMs - clock.now()));
  }
  if (errors.length > 0) throw errors[0];
}
