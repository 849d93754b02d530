import { type Operation, ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP } from '../../../shared/http/operation.ts';

/**
 * Requests of one IP address per minute, for all paths and methods. It bounds operations that are limited per funnel,
 * preflight requests and unknown paths. An address can use the full limits of organization routes, ingest and one
 * funnel's submits.
 */
export const ALL_REQUESTS_PER_MINUTE = 2_400;

/** The limit of a method's own firewall rule: requests of one address per minute. */
export function wafRuleLimit({ id, auth, limits }: Operation): number {
  if (auth !== 'public') return ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP;
  if (limits.wafPerMinutePerIp === undefined) throw new Error(`${id} is public and declares no limit of one address.`);
  return limits.wafPerMinutePerIp;
}

/**
 * The limit of all rules together for requests of one address to a method per minute, with any number of funnels, which
 * are limited separately.
 */
export const addressLimit = (declared: Operation): number =>
  declared.limits.wafPerFunnel ? ALL_REQUESTS_PER_MINUTE : wafRuleLimit(declared);
