import type { RateLimiter, RateLimitPolicy, RateLimitReader } from '../../shared/platform/rate-limiter.ts';

/** A limiter that counts exactly and in memory. Windows end only when `reset` is called. */
export function memoryLimiter() {
  const counts = new Map<string, number>();
  const idOf = ({ name: scope, partitionKey: key }: RateLimitPolicy) => `${scope}#${key}`;
  const limiter: RateLimiter & RateLimitReader = {
    readRemaining: async (window) => ({ remaining: window.limit - (counts.get(idOf(window)) ?? 0), resetSeconds: 42 }),
    consume: async (window, _log, units = 1) => {
      const used = counts.get(idOf(window)) ?? 0;
      const allowed = used + units <= window.limit;
      if (allowed) counts.set(idOf(window), used + units);
      const refund = async (given = units) => {
        if (allowed) counts.set(idOf(window), (counts.get(idOf(window)) ?? 0) - given);
      };
      const remaining = window.limit - used - (allowed ? units : 0);
      return { allowed, remaining, resetSeconds: 42, refund };
    },
  };
  return {
    limiter,
    /** Consumed units of the policies with this name, summed over all partition keys. */
    taken: (scope: string): number =>
      [...counts].reduce((sum, [id, units]) => (id.startsWith(`${scope}#`) ? sum + units : sum), 0),
    reset: () => counts.clear(),
  };
}
