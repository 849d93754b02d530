import { tooManyRequests } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';

export const LEAD_SUBMITS_PER_MINUTE = 30;
const WINDOW_MS = 60_000;
const LEADS_MAX = 10_000;

export type SubmitRateLimiter = {
  /**
   * Counts a submit of a lead.
   *
   * @param limit submits per minute, if the funnel has its own limit
   * @throws HttpError 429 if the limit of the current window is reached
   */
  consume(leadKey: string, limit?: number): void;
};

/**
 * A soft limit with a fixed window per lead. Each instance of the function counts in its own memory, so that counting
 * needs no database write. Above 10,000 leads, the oldest window is dropped.
 *
 * @param defaultLimit `Infinity` disables the limiter, including limits set by funnels
 */
export function createInMemorySubmitRateLimiter(
  clock: Clock,
  defaultLimit: number = LEAD_SUBMITS_PER_MINUTE,
): SubmitRateLimiter {
  const windows = new Map<string, { startMs: number; submits: number }>();
  return {
    consume: (leadKey, funnelLimit = defaultLimit) => {
      const limit = defaultLimit === Infinity ? Infinity : funnelLimit;
      const nowMs = clock.now();
      const window = windows.get(leadKey);
      if (window === undefined || nowMs - window.startMs >= WINDOW_MS) {
        windows.delete(leadKey);
        const oldest = windows.keys().next();
        if (windows.size >= LEADS_MAX && !oldest.done) windows.delete(oldest.value);
        windows.set(leadKey, { startMs: nowMs, submits: 1 });
        return;
      }
      if (window.submits >= limit) {
        throw tooManyRequests({
          name: 'funnel-submit-lead',
          limit,
          windowSeconds: WINDOW_MS / 1000,
          resetSeconds: (window.startMs + WINDOW_MS - nowMs) / 1000,
        });
      }
      window.submits++;
    },
  };
}
