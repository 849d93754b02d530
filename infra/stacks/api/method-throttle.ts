import { type Operation, pathsOf } from '../../../shared/http/operation.ts';
import { addressLimit, wafRuleLimit } from './address-limits.ts';

/**
 * Number of addresses that can use their full limit at the same time. A method's throttle counts all callers together,
 * so its rate is the limit of one address multiplied by this number.
 */
const ADDRESSES_AT_THEIR_LIMIT = 100;
/** The burst covers at least this many seconds at the full rate. */
const BURST_SECONDS = 2;

/**
 * Returns API Gateway's throttle of a method. The throttle bounds the cost of a flood from many addresses. The firewall
 * bounds one address, but only after about ten seconds. Even an address that stays below its limit can send the
 * requests of a whole minute at once. The burst is more than twice this limit, so that requests of other addresses
 * still pass.
 *
 * API Gateway throttles each path separately. If an operation has two paths, each gets half of the rate.
 */
export function methodThrottle(declared: Operation) {
  const perSecond = (ADDRESSES_AT_THEIR_LIMIT * wafRuleLimit(declared)) / 60 / pathsOf(declared).length;
  const burst = Math.max(BURST_SECONDS * perSecond, 2 * addressLimit(declared) + 1);
  return { throttlingRateLimit: perSecond, throttlingBurstLimit: Math.ceil(burst) };
}
