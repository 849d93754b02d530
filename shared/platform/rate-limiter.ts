import type { Logger } from './logger.ts';

/** How often something may happen. */
export type RateLimitPolicy = {
  /** What is limited, in kebab case; callers see it as the policy's name in `RateLimit-Policy`. */
  name: string;
  /** Whose calls are counted together. */
  partitionKey: string;
  limit: number;
  windowSeconds: number;
  /**
   * `clock`: fixed windows, the same for all keys. `take`: the window begins with what is taken, so that a limit of 1
   * is a pause between any two.
   */
  algorithm?: 'fixed-window' | 'cooldown';
  /** When it can't be counted: `pass` where it guards fairness, `refuse` (503) where it guards money or people. */
  onOutage: 'allow' | 'deny';
};

/** What came of a take. */
export type RateLimitResult = {
  allowed: boolean;
  /** Units left in the window. */
  remaining: number;
  /** Until the window ends. */
  resetSeconds: number;
  /** Gives units back, all by default: what they were taken for did not happen. Never throws. */
  refund(units?: number): Promise<void>;
};

/** Counts in windows, exactly, also under concurrency; what is refused is not counted. */
export type RateLimiter = {
  /**
   * Takes all units or none, in one write.
   *
   * @param units what a call costs, 1 by default: calls, bytes, tokens
   * @throws Problem 503 for a window that refuses when it can't be counted
   */
  consume(window: RateLimitPolicy, log: Logger, units?: number): Promise<RateLimitResult>;
};

/** Tells what a window holds, for decisions that must be made before anything is taken. */
export type RateLimitReader = {
  /**
   * What is left in a window that goes by the clock, as of now and never as of earlier; one read, nothing is taken.
   *
   * @throws Problem 503 for a window that refuses when it can't be counted
   */
  readRemaining(window: RateLimitPolicy, log: Logger): Promise<Pick<RateLimitResult, 'remaining' | 'resetSeconds'>>;
};

/** Lets everything pass: for load tests on a laptop. */
export const unlimitedRateLimiter: RateLimiter & RateLimitReader = {
  consume: async ({ limit }) => ({ allowed: true, remaining: limit, resetSeconds: 0, refund: async () => undefined }),
  readRemaining: async ({ limit }) => ({ remaining: limit, resetSeconds: 0 }),
};
