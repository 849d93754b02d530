import { isIPv6 } from 'node:net';

const WINDOW_MS = 60_000;
const KEYS_MAX = 100_000;

export type Throttle = {
  /** Counts one request. Undefined while within the limit, else the headers of the 429. */
  count(key: string, limit: number): Record<string, string> | undefined;
};

/** Fixed windows of a minute in memory, as soft as WAF's: the stand-in for the limits of public routes. */
export function throttle(now: () => number = Date.now): Throttle {
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

function exceeded(limit: number, resetMs: number): Record<string, string> {
  const reset = String(Math.max(1, Math.ceil(resetMs / 1000)));
  return {
    'Retry-After': reset,
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': reset,
  };
}

/** Who counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is what one customer is given. */
export function clientOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const missing = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array<string>(missing).fill('0'), ...after].slice(0, 4).join(':');
}
