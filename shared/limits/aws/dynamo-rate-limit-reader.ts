import { type Clock, systemClock } from '../../platform/clock.ts';
import type { RateLimitReader } from '../../platform/rate-limiter.ts';
import { applyOutagePolicy, currentWindow } from './dynamo-rate-limiter.ts';
import { readCounter } from './rate-limit-counter.ts';

/** Reads the counters of `dynamoLimiter`. */
export function createDynamoRateLimitReader(clock: Clock = systemClock): RateLimitReader {
  return {
    readRemaining: async (window, log) => {
      const { at, resetSeconds } = currentWindow(window, clock);
      try {
        const counter = await readCounter(at);
        return { remaining: Math.max(0, window.limit - Number(counter?.calls?.N ?? 0)), resetSeconds };
      } catch (cause) {
        return applyOutagePolicy(window, log, cause);
      }
    },
  };
}
