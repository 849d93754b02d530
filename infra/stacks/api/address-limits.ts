import { type Operation, ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP } from '../../../shared/http/operation.ts';

/**
 * All requests of one address in a minute: to any path, in any method. It bounds what is counted per funnel, preflights
 * and unknown paths. An address can use the limits of organization routes, ingest and one funnel's submits in full.
 */
export const ALL_REQUESTS_PER_MINUTE = 2_400;

/** The limit of a method's own rule at the firewall: requests of one address in a minute. */
export function wafRuleLimit({ id, auth, limits }: Operation): number {
  if (auth !== 'public') return ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP;
  if (limits.wafPerMinutePerIp === undefined) throw new Error(`${id} is public and declares no limit of one address.`);
  return limits.wafPerMinutePerIp;
}

/** What all rules together let one address send to a method in a minute: funnels without number, each by itself. */
export const addressLimit = (declared: Operation): number =>
  declared.limits.wafPerFunnel ? ALL_REQUESTS_PER_MINUTE : wafRuleLimit(declared);
