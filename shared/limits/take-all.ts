import type { Log } from '../platform/log.ts';
import type { Limiter, Taken, Window } from './limiter.ts';

type AllTaken = { refused?: { window: Window; taken: Taken }; giveBack(): Promise<void> };

/** Takes from each window in turn, or from none: where one refuses, the ones before it get their units back. */
export async function takeAll(limiter: Limiter, windows: readonly Window[], log: Log): Promise<AllTaken> {
  const takes: Taken[] = [];
  const giveBack = async () => void (await Promise.all(takes.splice(0).map((taken) => taken.giveBack())));
  for (const window of windows) {
    const taken = await limiter.take(window, log).catch(async (cause: unknown) => {
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
