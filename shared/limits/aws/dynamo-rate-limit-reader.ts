import { type Clock, systemClock } from '../../platform/clock.ts';
import type { RateLimitReader } from '../../platform/rate-limiter.ts';
import { applyOutagePolicy, currentWindow } from './dynamo-rate-limiter.ts';
import { readCounter } from './rate-limit-counter.ts';

export function createDynamoRateLimitReader(clock: Clock = systemClock): RateLimitReader {
  return {
    readRemaining: async (policy, log) => {
      const { key, resetSeconds } = currentWindow(policy, clock);
      try {
        const counter = await readCounter(key);
        return { remaining: Math.max(0, policy.limit - Number(counter?.calls?.N ?? 0)), resetSeconds };
      } catch (cause) {
        return applyOutagePolicy(policy, log, cause);
      }
    },
  };
}
