import type { Operation } from '../../../shared/http/operation.ts';
import { addressLimit, wafRuleLimit } from './address-limits.ts';

/** A method's throttle applies to all callers together: this many addresses at their limit. */
const ADDRESSES_AT_THEIR_LIMIT = 100;
/** Seconds at the full rate that the burst covers. */
const BURST_SECONDS = 2;

/**
 * API Gateway's throttle of a method, in requests per second. It bounds the cost of a flood from many addresses. The
 * firewall bounds one address, but blocks it only about ten seconds later. The rate allows 100 addresses at their
 * limit. The burst is more than twice the limit of one address per minute, so that other requests still pass if an
 * address sends all of them in one second.
 */
export function methodThrottle(declared: Operation) {
  const perSecond = (ADDRESSES_AT_THEIR_LIMIT * wafRuleLimit(declared)) / 60;
  const burst = Math.max(BURST_SECONDS * perSecond, 2 * addressLimit(declared) + 1);
  return { throttlingRateLimit: perSecond, throttlingBurstLimit: Math.ceil(burst) };
}
