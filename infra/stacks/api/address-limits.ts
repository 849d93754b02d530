import { type Operation, ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP } from '../../../shared/http/operation.ts';

/**
 * Maximum requests of one IP address per minute, over all paths and methods, including preflight requests and unknown
 * paths. The value is the sum of three limits: of organization routes, of ingest, and of submits to one funnel.
 */
export const ALL_REQUESTS_PER_MINUTE = 2_400;

/**
 * Returns the limit of the firewall rule for an operation, in requests of one address per minute. All organization
 * routes share one rule.
 *
 * @throws Error if a public operation declares no limit
 */
export function wafRuleLimit({ id, auth, limits }: Operation): number {
  if (auth !== 'public') return ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP;
  if (limits.wafPerMinutePerIp === undefined) throw new Error(`${id} is public and needs limits.wafPerMinutePerIp.`);
  return limits.wafPerMinutePerIp;
}

/**
 * Returns the maximum requests of one address to an operation per minute. If the operation is limited per funnel, an
 * address can use the limit of many funnels. Only `ALL_REQUESTS_PER_MINUTE` then limits the address.
 */
export const addressLimit = (declared: Operation): number =>
  declared.limits.wafPerFunnel ? ALL_REQUESTS_PER_MINUTE : wafRuleLimit(declared);
