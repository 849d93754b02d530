import type { Lead, LeadKey } from '../leads/lead.ts';
import type { Clock } from '../platform/clock.ts';
import { LEAD_DELAY_SECONDS, type Notice, type PausedEndpoint, toIsoString } from './notice.ts';
import { noticeDueMs } from './notice-due-time.ts';
import { isActive, type NotificationAddress } from './notification-address.ts';
import type { AddressReader, NoticeWriter } from './ports.ts';

type Ports = {
  addresses: AddressReader;
  notices: NoticeWriter;
  clock: Clock;
  /**
   * How long a mail about a lead is delayed, so that the mail shows more than the first step. Default:
   * `LEAD_DELAY_SECONDS`.
   */
  leadDelaySeconds?: number | undefined;
};

/**
 * Stores notices for the addresses of an organization that are confirmed and not unsubscribed. A background function
 * sends the mails.
 */
export type Notifier = {
  /**
   * Stores a notice about a new lead for each active address that was confirmed before the lead's first submit.
   * Until a mail about the lead is sent, repeated calls add no second notice.
   *
   * @throws UnavailableError
   */
  notifyLead(orgId: string, lead: LeadKey & Pick<Lead, 'firstSubmittedAt'>): Promise<void>;
  /**
   * Stores a notice that a webhook endpoint was paused. Until a mail about the notice is sent, repeated calls add no
   * second notice.
   *
   * @throws UnavailableError
   */
  notifyPaused(endpoint: PausedEndpoint): Promise<void>;
};

export function createNotifier({ addresses, notices, clock, leadDelaySeconds = LEAD_DELAY_SECONDS }: Ports): Notifier {
  const notify = async (orgId: string, notice: Notice, isWanted: (address: NotificationAddress) => boolean) => {
    const recipients = (await addresses.list(orgId)).filter((address) => isActive(address) && isWanted(address));
    await Promise.all(
      recipients.map(async (address) => {
        await notices.put(address.id, notice);
        const dueMs = await noticeDueMs(notice, address, leadDelaySeconds * 1_000);
        await notices.wake({ orgId, addressId: address.id }, dueMs);
      }),
    );
  };
  const now = () => toIsoString(clock.now());
  return {
    notifyLead: (orgId, { funnelId, leadId, firstSubmittedAt: createdAt }) =>
      notify(
        orgId,
        { kind: 'lead', lead: { funnelId, leadId }, createdAt, at: now() },
        ({ confirmedAt }) => confirmedAt !== null && confirmedAt <= createdAt,
      ),
    notifyPaused: ({ orgId, ...endpoint }) => notify(orgId, { kind: 'paused', endpoint, at: now() }, () => true),
  };
}
