import type { RateLimiter, RateLimitReader } from '../platform/rate-limiter.ts';

/** For load tests on a laptop. Never set by a deployment. */
export const areRateLimitsDisabled = (): boolean => process.env.LOCAL_RATE_LIMITS === 'off';

export const unlimitedRateLimiter: RateLimiter & RateLimitReader = {
  consume: async ({ limit }) => ({ allowed: true, remaining: limit, resetSeconds: 0, refund: async () => undefined }),
  readRemaining: async ({ limit }) => ({ remaining: limit, resetSeconds: 0 }),
};
