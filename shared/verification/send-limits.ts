import type { FunnelLimits } from '../directory/funnel.ts';
import type { Organization } from '../directory/organization.ts';
import type { Window } from '../limits/limiter.ts';
import type { Channel } from '../messages/message.ts';

/** Decisions 11; a funnel and an organization can have others. */
export const SEND_LIMITS = {
  pauseSeconds: 30,
  perTenMinutesAndLead: 5,
  perHourAndDestination: 10,
  perHourAndAddress: 100,
  smsPerDayAndOrganization: 1_000,
} as const;

const TEN_MINUTES = 600;
const HOUR = 3_600;
const DAY = 86_400;

type Sending = {
  channel: Channel;
  leadKey: string;
  destinationKey: string;
  addressKey: string;
  orgId: string;
  funnelLimits: FunnelLimits;
  organizationLimits: Organization['limits'];
};

/** The windows that a send is counted in, in this order. They guard money and people: what can't be counted is refused. */
export function sendWindows(sending: Sending): Window[] {
  const { leadKey, destinationKey, addressKey, orgId, funnelLimits, organizationLimits } = sending;
  const window = (scope: string, key: string, limit: number, windowSeconds: number): Window => {
    return { scope: `mfa-send-${scope}`, key, limit, windowSeconds, unreachable: 'refuse' };
  };
  const perLead = funnelLimits.sendsPerTenMinutesAndLead ?? SEND_LIMITS.perTenMinutesAndLead;
  const perDestination = funnelLimits.sendsPerHourAndDestination ?? SEND_LIMITS.perHourAndDestination;
  const smsPerDay = organizationLimits.smsPerDay ?? SEND_LIMITS.smsPerDayAndOrganization;
  return [
    { ...window('pause', destinationKey, 1, SEND_LIMITS.pauseSeconds), from: 'take' },
    window('lead', leadKey, perLead, TEN_MINUTES),
    window('destination', destinationKey, perDestination, HOUR),
    window('address', addressKey, SEND_LIMITS.perHourAndAddress, HOUR),
    ...(sending.channel === 'sms' ? [window('sms', orgId, smsPerDay, DAY)] : []),
  ];
}
