import { createHmac } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { RateLimitPolicy } from '../platform/rate-limiter.ts';

const DAY_MS = 86_400_000;
const KEY_CHARACTERS = 22;

/**
 * What stands for a client's address in a counter: a keyed hash that changes with the UTC day, so that no address is
 * stored and no counter can be traced from one day to the next.
 */
export function pseudonymize(secret: string, clock: Clock, address: string): string {
  const day = Math.floor(clock.now() / DAY_MS);
  return createHmac('sha256', secret)
    .update(JSON.stringify(['address', day, address]))
    .digest('base64url')
    .slice(0, KEY_CHARACTERS);
}

/** Keys of a client's networks in counters until the end of the UTC day, see `addressKey`. */
export type ClientPseudonyms = {
  /** Of an IPv4 address, or of the /64 of an IPv6 address. */
  network: string;
  /** Of the /48 of an IPv6 address. */
  site: string | undefined;
};

/** A /48 is one customer or many: it may use this many times the limit of an address. */
const SITE_FACTOR = 10;

/**
 * The windows that an address is counted in where a limit guards money or people: for an IPv6 address also one of its
 * /48, which has 65,536 networks. That costs a second write. It is no budgeted one: the API's endpoint is IPv4 only.
 */
export function clientRateLimitPolicies(
  { network, site }: ClientPseudonyms,
  window: Omit<RateLimitPolicy, 'partitionKey'>,
): RateLimitPolicy[] {
  const { name: scope, limit } = window;
  const ofNetwork = { ...window, partitionKey: network };
  if (site === undefined) return [ofNetwork];
  return [ofNetwork, { ...window, name: `${scope}-site`, partitionKey: site, limit: SITE_FACTOR * limit }];
}
