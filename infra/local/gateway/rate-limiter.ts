import { rateLimitHeaders } from '../../../shared/http/too-many-requests.ts';

const WINDOW_MS = 60_000;
const KEYS_MAX = 100_000;

export type WindowRateLimiter = {
  /** Counts one request. Undefined while within the limit, else the headers of the 429. */
  count(key: string, limit: number): Record<string, string> | undefined;
};

/** Fixed windows of a minute in memory, as soft as WAF's: the stand-in for the limits of public routes. */
export function createWindowRateLimiter(now: () => number = Date.now): WindowRateLimiter {
  let window = 0;
  let counts = new Map<string, number>();
  return {
    count: (key, limit) => {
      const current = Math.floor(now() / WINDOW_MS);
      if (current !== window || counts.size >= KEYS_MAX) counts = new Map();
      window = current;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count > limit ? exceeded(limit, (window + 1) * WINDOW_MS - now()) : undefined;
    },
  };
}

const exceeded = (limit: number, resetMs: number) =>
  rateLimitHeaders({ limit, windowSeconds: WINDOW_MS / 1000, resetSeconds: resetMs / 1000 });
