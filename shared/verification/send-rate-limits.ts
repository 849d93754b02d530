import type { FunnelLimits } from '../funnels/funnel.ts';
import { type ClientPseudonyms, clientRateLimitPolicies } from '../limits/client-pseudonym.ts';
import type { Channel } from '../messages/message.ts';
import type { Organization } from '../organizations/organization.ts';
import type { RateLimitPolicy } from '../platform/rate-limiter.ts';

/** Decisions 11; a funnel and an organization can have others. */
export const SEND_COOLDOWN_SECONDS = 30;
export const SENDS_PER_TEN_MINUTES_AND_LEAD = 5;
export const SENDS_PER_HOUR_AND_DESTINATION = 10;
export const SENDS_PER_HOUR_AND_ADDRESS = 100;
export const SMS_PER_DAY_AND_ORGANIZATION = 1_000;

const TEN_MINUTES = 600;
const HOUR = 3_600;
const DAY = 86_400;

type Sending = {
  channel: Channel;
  leadKey: string;
  destinationKey: string;
  addressKeys: ClientPseudonyms;
  orgId: string;
  funnelLimits: FunnelLimits;
  organizationLimits: Organization['limits'];
};

const unkeyed = (scope: string, limit: number, windowSeconds: number): Omit<RateLimitPolicy, 'partitionKey'> => {
  return { name: `mfa-send-${scope}`, limit, windowSeconds, onOutage: 'deny' };
};

const window = (scope: string, key: string, limit: number, windowSeconds: number): RateLimitPolicy => {
  return { ...unkeyed(scope, limit, windowSeconds), partitionKey: key };
};

/** An organization's SMS of the UTC day. */
export const dailySmsLimit = (orgId: string, { smsPerDay }: Organization['limits']): RateLimitPolicy =>
  window('sms', orgId, smsPerDay ?? SMS_PER_DAY_AND_ORGANIZATION, DAY);

/** The windows that a send is counted in, in this order. They guard money and people: what can't be counted is refused. */
export function sendRateLimits(sending: Sending): RateLimitPolicy[] {
  const { leadKey, destinationKey, addressKeys, orgId, funnelLimits, organizationLimits } = sending;
  const perLead = funnelLimits.sendsPerTenMinutesAndLead ?? SENDS_PER_TEN_MINUTES_AND_LEAD;
  const perDestination = funnelLimits.sendsPerHourAndDestination ?? SENDS_PER_HOUR_AND_DESTINATION;
  return [
    { ...window('pause', destinationKey, 1, SEND_COOLDOWN_SECONDS), algorithm: 'cooldown' },
    window('lead', leadKey, perLead, TEN_MINUTES),
    window('destination', destinationKey, perDestination, HOUR),
    ...clientRateLimitPolicies(addressKeys, unkeyed('address', SENDS_PER_HOUR_AND_ADDRESS, HOUR)),
    ...(sending.channel === 'sms' ? [dailySmsLimit(orgId, organizationLimits)] : []),
  ];
}
