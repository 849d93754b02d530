import type { FunnelLimits } from '../funnels/funnel.ts';
import { type ClientPseudonyms, clientRateLimitPolicies } from '../limits/client-pseudonym.ts';
import type { Channel } from '../messages/message.ts';
import type { Organization } from '../organizations/organization.ts';
import type { RateLimitPolicy } from '../platform/rate-limiter.ts';

/**
 * Default limits. A funnel can replace `SENDS_PER_TEN_MINUTES_AND_LEAD` and `SENDS_PER_HOUR_AND_DESTINATION`. An
 * organization can replace `SMS_PER_DAY_AND_ORGANIZATION`.
 */
export const SEND_COOLDOWN_SECONDS = 30;
export const SENDS_PER_TEN_MINUTES_AND_LEAD = 5;
export const SENDS_PER_HOUR_AND_DESTINATION = 10;
export const SENDS_PER_HOUR_AND_ADDRESS = 100;
export const SMS_PER_DAY_AND_ORGANIZATION = 1_000;

const TEN_MINUTES = 600;
const HOUR = 3_600;
const DAY = 86_400;

type Send = {
  channel: Channel;
  leadKey: string;
  destinationKey: string;
  client: ClientPseudonyms;
  orgId: string;
  funnelLimits: FunnelLimits;
  organizationLimits: Organization['limits'];
};

const policy = (name: string, partitionKey: string, limit: number, windowSeconds: number): RateLimitPolicy => ({
  name: `mfa-send-${name}`,
  partitionKey,
  limit,
  windowSeconds,
  onOutage: 'deny',
});

/** Limits the SMS of an organization per UTC day. */
export const dailySmsLimit = (orgId: string, { smsPerDay }: Organization['limits']): RateLimitPolicy =>
  policy('sms', orgId, smsPerDay ?? SMS_PER_DAY_AND_ORGANIZATION, DAY);

/**
 * Returns the policies of one send, in the order in which they are consumed. If the sends cannot be counted, the
 * policies deny the send, because they limit costs.
 */
export function sendRateLimits(send: Send): RateLimitPolicy[] {
  const { leadKey, destinationKey, client, orgId, funnelLimits, organizationLimits } = send;
  const perLead = funnelLimits.sendsPerTenMinutesAndLead ?? SENDS_PER_TEN_MINUTES_AND_LEAD;
  const perDestination = funnelLimits.sendsPerHourAndDestination ?? SENDS_PER_HOUR_AND_DESTINATION;
  const perClient = policy('address', '', SENDS_PER_HOUR_AND_ADDRESS, HOUR);
  return [
    { ...policy('pause', destinationKey, 1, SEND_COOLDOWN_SECONDS), algorithm: 'cooldown' },
    policy('lead', leadKey, perLead, TEN_MINUTES),
    policy('destination', destinationKey, perDestination, HOUR),
    ...clientRateLimitPolicies(client, perClient),
    ...(send.channel === 'sms' ? [dailySmsLimit(orgId, organizationLimits)] : []),
  ];
}
