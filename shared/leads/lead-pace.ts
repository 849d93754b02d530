import { rateLimited } from '../http/rate-limited.ts';
import type { Clock } from '../platform/clock.ts';

export const LEAD_SUBMITS_PER_MINUTE = 30;
const WINDOW_MS = 60_000;
const LEADS_MAX = 10_000;

/** Counts a submit of a lead. @throws Problem 429 when there were too many in the last window */
export type LeadPace = { count(lead: string): void };

/**
 * A soft limit in the function's memory, a fixed window a lead: a hot route pays no database write for it.
 *
 * @param perMinute `Infinity` lifts it
 */
export function leadPace(clock: Clock, perMinute: number = LEAD_SUBMITS_PER_MINUTE): LeadPace {
  const windows = new Map<string, { startMs: number; submits: number }>();
  return {
    count: (lead) => {
      const nowMs = clock.now();
      const window = windows.get(lead);
      if (window === undefined || nowMs - window.startMs >= WINDOW_MS) {
        windows.delete(lead);
        const oldest = windows.keys().next();
        if (windows.size >= LEADS_MAX && !oldest.done) windows.delete(oldest.value);
        windows.set(lead, { startMs: nowMs, submits: 1 });
        return;
      }
      if (window.submits >= perMinute) {
        throw rateLimited({
          scope: 'funnel-submit-lead',
          limit: perMinute,
          windowSeconds: WINDOW_MS / 1000,
          resetSeconds: (window.startMs + WINDOW_MS - nowMs) / 1000,
        });
      }
      window.submits++;
    },
  };
}
