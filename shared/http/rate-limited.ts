import { Problem } from './problem.ts';

/** 429 with the seconds until the window ends, and the limit in the RateLimit headers. */
export function rateLimited(window: { limit: number; resetSeconds: number; remaining?: number }): Problem {
  const reset = String(Math.max(1, Math.ceil(window.resetSeconds)));
  return new Problem(429, `Too many requests: at most ${window.limit} in this window; try again in ${reset} s.`, {
    headers: {
      'Retry-After': reset,
      'RateLimit-Limit': String(window.limit),
      'RateLimit-Remaining': String(window.remaining ?? 0),
      'RateLimit-Reset': reset,
    },
  });
}
