import type { Logger } from './logger.ts';

export type RateLimitPolicy = {
  /** In kebab case; clients see it as the policy name in `RateLimit-Policy`. */
  name: string;
  /** Requests with the same key count together. */
  partitionKey: string;
  limit: number;
  windowSeconds: number;
  /**
   * `fixed-window` (default): windows start at multiples of `windowSeconds`. `cooldown`: the window starts when a unit
   * is consumed, so that a limit of 1 enforces a pause between two requests.
   */
  algorithm?: 'fixed-window' | 'cooldown';
  /**
   * What to do with a request that can't be counted: `allow` for limits that ensure fairness, `deny` for limits that
   * protect money or people (ADR 0015).
   */
  onOutage: 'allow' | 'deny';
};

export type RateLimitResult = {
  allowed: boolean;
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
  /** Gives back units that were not used; all units by default. Never throws. */
  refund(units?: number): Promise<void>;
};

/** Counts concurrent requests exactly. Denied requests are not counted. */
export type RateLimiter = {
  /**
   * Consumes all units or none, in one write.
   *
   * @param units what the request costs, for example bytes or tokens; default 1
   * @throws UnavailableError when requests can't be counted and the policy says `deny`
   */
  consume(policy: RateLimitPolicy, log: Logger, units?: number): Promise<RateLimitResult>;
};

export type RateLimitReader = {
  /**
   * Reads a fixed window with strong consistency.
   *
   * @throws UnavailableError when the window can't be read and the policy says `deny`
   */
  readRemaining(policy: RateLimitPolicy, log: Logger): Promise<Pick<RateLimitResult, 'remaining' | 'resetSeconds'>>;
};

type ConsumeAllResult = {
  /** The first limit that was exceeded. */
  exceeded?: { policy: RateLimitPolicy; result: RateLimitResult };
  refund(units?: number): Promise<void>;
};

/**
 * Consumes units of each policy in order. If a policy denies the request or throws, refunds the units of the policies
 * before it.
 *
 * @param units number of units to consume of each policy; default 1
 * @returns `refund(units)` gives back that many units to each policy, or all units if `units` is absent. Only the first
 *   call of `refund` has an effect.
 * @throws UnavailableError when requests can't be counted and a policy says `deny`
 */
export async function consumeAll(
  limiter: RateLimiter,
  policies: readonly RateLimitPolicy[],
  log: Logger,
  units?: number,
): Promise<ConsumeAllResult> {
  const consumed: RateLimitResult[] = [];
  const refund = async (refunded?: number) => {
    await Promise.all(consumed.splice(0).map((result) => result.refund(refunded)));
  };
  for (const policy of policies) {
    const result = await limiter.consume(policy, log, units).catch(async (cause: unknown) => {
      await refund();
      throw cause;
    });
    if (!result.allowed) {
      await refund();
      return { exceeded: { policy, result }, refund };
    }
    consumed.push(result);
  }
  return { refund };
}
