import { HttpError } from './errors.ts';

type Exceeded = { limit: number; windowSeconds: number; resetSeconds: number; remaining?: number; name?: string };

/** 429 with the seconds until there is room again. */
export function tooManyRequests(exceeded: Exceeded): HttpError {
  const headers = rateLimitHeaders(exceeded);
  return new HttpError(
    429,
    `The limit of ${exceeded.limit} in ${exceeded.windowSeconds} s would be exceeded. Try again in ${headers['Retry-After']} s.`,
    { headers },
  );
}

/**
 * What tells a client when to come back: `RateLimit` and `RateLimit-Policy` as draft-ietf-httpapi-ratelimit-headers-10
 * writes them, and the three headers of its earlier versions, which most clients read.
 *
 * @param exceeded `name` becomes the policy's name
 */
export function rateLimitHeaders({ limit, windowSeconds, resetSeconds, remaining = 0, name = 'default' }: Exceeded) {
  const reset = String(Math.max(1, Math.ceil(resetSeconds)));
  return {
    'Retry-After': reset,
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': reset,
    RateLimit: `"${name}";r=${remaining};t=${reset}`,
    'RateLimit-Policy': `"${name}";q=${limit};w=${windowSeconds}`,
  };
}
