import type { Logger } from './logger.ts';
import type { RateLimiter, RateLimitPolicy, RateLimitResult } from './rate-limiter.ts';

type ConsumeAllResult = {
  exceeded?: { policy: RateLimitPolicy; result: RateLimitResult };
  refund(units?: number): Promise<void>;
};

/**
 * Takes from each window in turn, or from none: where one refuses, the ones before it get their units back.
 *
 * @param units from each, 1 by default; `giveBack` returns so many to each, all by default, and once
 */
export async function consumeAll(
  limiter: RateLimiter,
  windows: readonly RateLimitPolicy[],
  log: Logger,
  units?: number,
): Promise<ConsumeAllResult> {
  const takes: RateLimitResult[] = [];
  const giveBack = async (given?: number) =>
    void (await Promise.all(takes.splice(0).map((taken) => taken.refund(given))));
  for (const window of windows) {
    const taken = await limiter.consume(window, log, units).catch(async (cause: unknown) => {
      await giveBack();
      throw cause;
    });
    if (!taken.allowed) {
      await giveBack();
      return { exceeded: { policy: window, result: taken }, refund: giveBack };
    }
    takes.push(taken);
  }
  return { refund: giveBack };
}
