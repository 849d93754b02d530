import type { Log } from '../platform/log.ts';
import type { Limiter, Taken, Window } from './limiter.ts';

type AllTaken = { refused?: { window: Window; taken: Taken }; giveBack(units?: number): Promise<void> };

/**
 * Takes from each window in turn, or from none: where one refuses, the ones before it get their units back.
 *
 * @param units from each, 1 by default; `giveBack` returns so many to each, all by default, and once
 */
export async function takeAll(
  limiter: Limiter,
  windows: readonly Window[],
  log: Log,
  units?: number,
): Promise<AllTaken> {
  const takes: Taken[] = [];
  const giveBack = async (given?: number) =>
    void (await Promise.all(takes.splice(0).map((taken) => taken.giveBack(given))));
  for (const window of windows) {
    const taken = await limiter.take(window, log, units).catch(async (cause: unknown) => {
      await giveBack();
      throw cause;
    });
    if (!taken.allowed) {
      await giveBack();
      return { refused: { window, taken }, giveBack };
    }
    takes.push(taken);
  }
  return { giveBack };
}
