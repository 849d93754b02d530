import { currentWindow } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { readCounter } from '../../../shared/limits/aws/rate-limit-counter.ts';
import { type Clock, systemClock } from '../../../shared/platform/clock.ts';
import type { LimitUsageReader } from './effective-limits.ts';

/** Reads the counters of `dynamoLimiter`, including usage above a limit that was lowered. */
export const createDynamoLimitUsageReader = (clock: Clock = systemClock): LimitUsageReader => ({
  used: async (window) => Number((await readCounter(currentWindow(window, clock).key))?.calls?.N ?? 0),
});
