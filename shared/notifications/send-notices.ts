import type { Funnel, FunnelVersion } from '../funnels/funnel.ts';
import type { Lead, LeadKey } from '../leads/lead.ts';
import type { EmailMessage } from '../messages/message.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { sweep } from '../platform/sweeper.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import { createLinkToken, LINK_PATH, type LinkPurpose } from './link-token.ts';
import { filesOf, type LeadSection, leadSection } from './mails/lead-section.ts';
import { confirmationMail, leadsMail, pausedMail, type Recipient } from './mails/render-mail.ts';
import {
  type AddressLease,
  type AddressState,
  GIVE_UP_AFTER_MS,
  LEAD_DELAY_SECONDS,
  type Notice,
  nextLeadMs,
  retryDelayMs,
  stateAt,
  toIsoString,
} from './notice.ts';
import { noticeDueMs } from './notice-due-time.ts';
import { isActive, type NotificationAddress } from './notification-address.ts';
import { countMail, type PlannedMail, planMails } from './plan-mails.ts';
import type { AddressReader, NoticeRepository } from './ports.ts';

/**
 * `sent` counts accepted mails, and `given_up` counts notices without further attempts. `failed` counts addresses for
 * which a mail could not be made, sent or recorded. `error` counts addresses for which another step failed.
 */
export type NotificationOutcome = 'sent' | 'failed' | 'given_up' | 'error';

export type SendNoticesPorts = {
  notices: NoticeRepository;
  addresses: AddressReader;
  organizations: { find(orgId: string): Promise<Pick<Organization, 'name'> | undefined> };
  funnels: {
    find(funnelId: string): Promise<Funnel | undefined>;
    findVersion(funnel: Funnel): Promise<FunnelVersion | undefined>;
  };
  leads: { getLeads(keys: readonly LeadKey[]): Promise<Lead[]> };
  findFileName(orgId: string, uuid: string): Promise<string | undefined>;
  /** Reads the secret with which the tokens of links are signed. */
  readSecret(): Promise<string>;
  /** @throws Error if the mail was rejected, or its acceptance was not confirmed */
  send(message: EmailMessage): Promise<void>;
  leadDelaySeconds?: number | undefined;
  clock: Clock;
  log: Logger;
};

/** No mail starts after this time, so that a run ends before the timeout of the function. */
const RUN_MS_MAX = 45_000;
/** Longer than the timeout of the function, so that no other run sends the same notices. */
const LEASE_MS = 90_000;
/** Maximum number of leads that a mail shows. If there are more, the mail states the number of the others. */
const LISTED_MAX = 100;

type Run = SendNoticesPorts & { endMs: number; count(outcome: NotificationOutcome): void };

/**
 * Sends the mails that are due. A mail is first sent, then its notices are removed. After a crash, a mail can therefore
 * be sent twice, but is not lost. Also removes notices whose mails have failed for too long, and notices that need no
 * mail any more.
 *
 * @returns how often each outcome occurred
 */
export async function sendNotices(ports: SendNoticesPorts): Promise<Map<NotificationOutcome, number>> {
  const counts = new Map<NotificationOutcome, number>();
  const count = (outcome: NotificationOutcome) => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const run: Run = { ...ports, endMs: ports.clock.now() + RUN_MS_MAX, count };
  const ends = await sweep(
    {
      findDue: ports.notices.listDue,
      processItem: (addressId) =>
        serveAddress(run, addressId).catch((cause: unknown) => {
          ports.log.error('The notices of an address could not be processed. A later run retries.', cause, {
            addressId,
          });
          return 'error' as const;
        }),
      isProgress: (end) => end === 'served',
      timeLimitMs: RUN_MS_MAX,
    },
    ports,
  );
  const errors = ends.get('error');
  return errors === undefined ? counts : counts.set('error', errors);
}

async function serveAddress(run: Run, addressId: string): Promise<'served' | 'not_due'> {
  const { notices, addresses, clock } = run;
  const lease = await notices.acquire(addressId, clock.now(), clock.now() + LEASE_MS);
  if (lease === undefined) return 'not_due';
  const address = (await addresses.list(lease.orgId)).find(({ id }) => id === addressId);
  const stored = await notices.list(addressId);
  const wanted = address === undefined ? [] : stored.filter((notice) => isWanted(notice, address));
  await notices.remove(
    addressId,
    stored.filter((notice) => !wanted.includes(notice)),
  );
  await notices.release(
    lease,
    address === undefined
      ? { state: stateAt(lease.state, clock.now()), dueAtMs: undefined }
      : await sendDue(run, lease, address, wanted),
  );
  return 'served';
}

/** Whether the notice must still be sent. The recipient may have confirmed or unsubscribed in the meantime. */
const isWanted = ({ kind }: Notice, address: NotificationAddress): boolean =>
  kind === 'confirmation' ? address.confirmedAt === null && address.unsubscribedAt === null : isActive(address);

type End = { state: AddressState; dueAtMs: number | undefined };

/** Sends the due mails of an address. Returns the state of the address after these mails, and when it is due next. */
async function sendDue(
  run: Run,
  { addressId, orgId, ...lease }: AddressLease,
  address: NotificationAddress,
  wanted: readonly Notice[],
): Promise<End> {
  const { clock, notices, log, count } = run;
  const nowMs = clock.now();
  const dueTimes = new Map<Notice, number>();
  for (const notice of wanted) dueTimes.set(notice, await noticeDueMs(notice, address, delayMsOf(run)));
  const dueMsOf = (notice: Notice) => dueTimes.get(notice) ?? nowMs;
  let state = stateAt(lease.state, nowMs);
  const remaining = new Set(wanted);
  const drop = async (dropped: readonly Notice[]) => {
    await notices.remove(addressId, dropped);
    for (const notice of dropped) remaining.delete(notice);
  };
  try {
    const due = wanted.filter((notice) => dueMsOf(notice) <= nowMs);
    const overdue = state.failures === 0 ? [] : due.filter((notice) => dueMsOf(notice) + GIVE_UP_AFTER_MS <= nowMs);
    for (const { kind } of overdue) {
      log.warn('A notice was given up, because its mail could not be made, sent or recorded for three days.', {
        orgId,
        addressId,
        kind,
      });
      count('given_up');
    }
    await drop(overdue);
    const mails = planMails(
      due.filter((notice) => remaining.has(notice)),
      address,
      state,
    );
    const mailContext = await readMailContext(run, orgId, address);
    for (const mail of mails) {
      if (clock.now() >= run.endMs) break;
      const message = await render(run, orgId, mailContext, mail);
      if (message !== undefined) {
        await run.send(message);
        count('sent');
        state = countMail(state, mail.kind, toIsoString(clock.now()));
      }
      await drop(mail.notices);
    }
  } catch (cause) {
    log.error('A notification mail could not be made, sent or recorded. A later run retries.', cause, {
      orgId,
      addressId,
    });
    count('failed');
    state = { ...state, failures: state.failures + 1 };
  }
  const times = [...remaining].map((notice) =>
    notice.kind === 'lead' ? Math.max(dueMsOf(notice), nextLeadMs(state, address)) : dueMsOf(notice),
  );
  if (times.length === 0) return { state, dueAtMs: undefined };
  const retryMs = state.failures === 0 ? 0 : clock.now() + retryDelayMs(state.failures);
  return { state, dueAtMs: Math.max(Math.min(...times), retryMs) };
}

const delayMsOf = ({ leadDelaySeconds = LEAD_DELAY_SECONDS }: Run): number => leadDelaySeconds * 1_000;

type MailContext = { recipient: Recipient; urlOf(purpose: LinkPurpose): string };

async function readMailContext(run: Run, orgId: string, address: NotificationAddress): Promise<MailContext> {
  const organization = await run.organizations.find(orgId);
  if (organization === undefined)
    throw new Error(`The organization ${orgId} of the notification address ${address.id} does not exist.`);
  const secret = await readSecretOrUnavailable(run.readSecret);
  const urlOf = (purpose: LinkPurpose) => {
    const token = createLinkToken(secret, { orgId, addressId: address.id, purpose }, run.clock.now());
    return `${address.linkBaseUrl}${LINK_PATH}${token}`;
  };
  return { recipient: { address, organization: organization.name }, urlOf };
}

/**
 * If none of the leads of a mail exists any more, returns undefined. Reads only the first `LISTED_MAX` leads, and
 * assumes that the others exist.
 */
async function render(
  run: Run,
  orgId: string,
  { recipient, urlOf }: MailContext,
  planned: PlannedMail,
): Promise<EmailMessage | undefined> {
  if (planned.kind !== 'other') {
    const listed = planned.notices.slice(0, LISTED_MAX).map(({ lead }) => lead);
    const leads = await run.leads.getLeads(listed);
    const others = planned.notices.length - listed.length;
    if (leads.length + others === 0) return undefined;
    const sections = await Promise.all(leads.map((lead) => readSection(run, orgId, lead, recipient.address)));
    return leadsMail({ ...recipient, unsubscribeUrl: urlOf('unsubscribe') }, sections, others);
  }
  const [notice] = planned.notices;
  return notice.kind === 'confirmation'
    ? confirmationMail(recipient, urlOf('confirm'))
    : pausedMail({ ...recipient, unsubscribeUrl: urlOf('unsubscribe') }, notice.endpoint);
}

async function readSection(
  { funnels, findFileName }: Run,
  orgId: string,
  lead: Lead,
  address: NotificationAddress,
): Promise<LeadSection> {
  const funnel = await funnels.find(lead.funnelId);
  const fields = (funnel && (await funnels.findVersion(funnel)))?.fields ?? [];
  const fileNames = new Map<string, string>();
  for (const uuid of filesOf(lead, fields)) {
    const name = await findFileName(orgId, uuid);
    if (name !== undefined) fileNames.set(uuid, name);
  }
  return leadSection(lead, { fields, fileNames, address });
}
