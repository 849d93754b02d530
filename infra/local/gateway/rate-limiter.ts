import { rateLimitHeaders } from '../../../shared/http/errors.ts';

const WINDOW_MS = 60_000;
const KEYS_MAX = 100_000;

export type WindowRateLimiter = {
  /** Counts one request. If the limit is exceeded, returns the rate limit headers of the 429 response. */
  count(key: string, limit: number): Record<string, string> | undefined;
};

/**
 * The stand-in for WAF's rate rules. It counts requests in memory in fixed windows of a minute, which is about as exact
 * as WAF.
 */
export function createWindowRateLimiter(nowMs: () => number = Date.now): WindowRateLimiter {
  let window = 0;
  let counts = new Map<string, number>();
  return {
    count: (key, limit) => {
      const currentWindow = Math.floor(nowMs() / WINDOW_MS);
      if (currentWindow !== window || counts.size >= KEYS_MAX) counts = new Map();
      window = currentWindow;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count <= limit) return undefined;
      const resetSeconds = ((window + 1) * WINDOW_MS - nowMs()) / 1000;
      return rateLimitHeaders({ limit, windowSeconds: WINDOW_MS / 1000, resetSeconds });
    },
  };
}
