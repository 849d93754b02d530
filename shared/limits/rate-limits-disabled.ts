import type { RateLimiter, RateLimitReader } from '../platform/rate-limiter.ts';

/** Whether rate limits are switched off for load tests on a laptop. No deployment sets `LOCAL_RATE_LIMITS`. */
export const areRateLimitsDisabled = (): boolean => process.env.LOCAL_RATE_LIMITS === 'off';

export const unlimitedRateLimiter: RateLimiter & RateLimitReader = {
  consume: async ({ limit }) => ({ allowed: true, remaining: limit, resetSeconds: 0, refund: async () => undefined }),
  readRemaining: async ({ limit }) => ({ remaining: limit, resetSeconds: 0 }),
};
