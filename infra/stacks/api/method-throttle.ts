import type { Operation } from '../../../shared/http/operation.ts';
import { addressLimit, wafRuleLimit } from './address-limits.ts';

/** A method's throttle is for all of its callers: as much as this many addresses at their limit. */
const ADDRESSES_AT_THEIR_LIMIT = 100;
/** Seconds at the full rate that the burst covers. */
const BURST_SECONDS = 2;

/**
 * What API Gateway lets through to a method, in requests per second. It bounds what a flood from many addresses costs.
 * The firewall bounds one address, but blocks it only some ten seconds later. The rate allows 100 addresses at their
 * limit; the burst is more than twice what one address may send in a minute, so that the others still pass when it sends
 * all of that at once.
 */
export function methodThrottle(declared: Operation) {
  const perSecond = (ADDRESSES_AT_THEIR_LIMIT * wafRuleLimit(declared)) / 60;
  const burst = Math.max(BURST_SECONDS * perSecond, 2 * addressLimit(declared) + 1);
  return { throttlingRateLimit: perSecond, throttlingBurstLimit: Math.ceil(burst) };
}
