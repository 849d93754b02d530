import type { LimitUsage } from '../directory/limits-desk.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { readCounter } from './dynamo-counter.ts';
import { fixedWindow } from './dynamo-limiter.ts';

/** Reads the counters of `dynamoLimiter`, also where more was taken than is allowed by now. */
export const dynamoLimitUsage = (clock: Clock = systemClock): LimitUsage => ({
  used: async (window) => Number((await readCounter(fixedWindow(window, clock).at))?.calls?.N ?? 0),
});
