import { tooManyRequests } from '../http/too-many-requests.ts';
import type { Clock } from '../platform/clock.ts';

export const LEAD_SUBMITS_PER_MINUTE = 30;
const WINDOW_MS = 60_000;
const LEADS_MAX = 10_000;

export type SubmitRateLimiter = {
  /**
   * Counts a submit of a lead.
   *
   * @param perMinute the funnel's own limit, in place of the service's
   * @throws Problem 429 when there were too many in the last window
   */
  consume(lead: string, perMinute?: number): void;
};

/**
 * A soft limit in the function's memory, a fixed window a lead: a hot route pays no database write for it.
 *
 * @param most `Infinity` lifts it, a funnel's own limit too
 */
export function createInMemorySubmitRateLimiter(
  clock: Clock,
  most: number = LEAD_SUBMITS_PER_MINUTE,
): SubmitRateLimiter {
  const windows = new Map<string, { startMs: number; submits: number }>();
  return {
    consume: (lead, perMinute = most) => {
      const limit = most === Infinity ? most : perMinute;
      const nowMs = clock.now();
      const window = windows.get(lead);
      if (window === undefined || nowMs - window.startMs >= WINDOW_MS) {
        windows.delete(lead);
        const oldest = windows.keys().next();
        if (windows.size >= LEADS_MAX && !oldest.done) windows.delete(oldest.value);
        windows.set(lead, { startMs: nowMs, submits: 1 });
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
