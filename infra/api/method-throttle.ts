import type { Limits } from '../../shared/http/operation.ts';

/**
 * A method's throttle is for the whole of its callers: as much as this many of them at the limit of one. It bounds
 * what a flood can cost. The limits of one user, and those of one address that guard money or people, are kept by the
 * functions, the others of one address by the firewall.
 */
const CALLERS_AT_THEIR_LIMIT = 100;
const CALLS_PER_MINUTE_DEFAULT = 60;

/** What API Gateway lets through to a method, in calls per second. */
export function methodThrottle({ perMinutePerUser, perMinutePerIp, perAddress = [] }: Limits) {
  const perMinutePerAddress = perAddress.map(({ limit, windowSeconds }) => (60 * limit) / windowSeconds);
  const oneCaller = Math.max(perMinutePerUser ?? perMinutePerIp ?? 0, ...perMinutePerAddress);
  const perMinute = CALLERS_AT_THEIR_LIMIT * (oneCaller || CALLS_PER_MINUTE_DEFAULT);
  return { throttlingRateLimit: perMinute / 60, throttlingBurstLimit: Math.ceil(perMinute / 30) };
}
