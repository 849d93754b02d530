import { type Clock, systemClock } from '../platform/clock.ts';
import { readCounter } from './dynamo-counter.ts';
import { fixedWindow, uncounted } from './dynamo-limiter.ts';
import type { LimitReader } from './limiter.ts';

/** Reads the counters of `dynamoLimiter`. */
export function dynamoLimitReader(clock: Clock = systemClock): LimitReader {
  return {
    peek: async (window, log) => {
      const { at, resetSeconds } = fixedWindow(window, clock);
      try {
        const counter = await readCounter(at);
        return { remaining: Math.max(0, window.limit - Number(counter?.calls?.N ?? 0)), resetSeconds };
      } catch (cause) {
        return uncounted(window, log, cause);
      }
    },
  };
}
