import { type AddressState, type LeadNotice, type Notice, SINGLES_PER_HOUR } from './notice.ts';
import type { NotificationAddress } from './notification-address.ts';

/** What one mail says. `single`: a mail about one lead. `list`: a mail that can list several leads. */
export type PlannedMail =
  | { kind: 'other'; notices: readonly [Exclude<Notice, LeadNotice>] }
  | { kind: 'single' | 'list'; notices: readonly LeadNotice[] };

/**
 * Divides due notices into mails. Mode `daily_digest`: one mail lists all due leads. Mode `each_lead`: up to
 * `SINGLES_PER_HOUR` leads per hour get a mail of their own, and one mail lists the other due leads. After this mail,
 * leads that become due wait for the next hour.
 */
export function planMails(
  due: readonly Notice[],
  { mode }: Pick<NotificationAddress, 'mode'>,
  { singles, isListed }: Pick<AddressState, 'singles' | 'isListed'>,
): PlannedMail[] {
  const leads = due.filter((notice) => notice.kind === 'lead').sort(byCreation);
  const others = due.flatMap((notice): PlannedMail[] =>
    notice.kind === 'lead' ? [] : [{ kind: 'other', notices: [notice] }],
  );
  const alone = mode === 'each_lead' ? leads.slice(0, Math.max(0, SINGLES_PER_HOUR - singles)) : [];
  const listed = mode === 'each_lead' && isListed ? [] : leads.slice(alone.length);
  return [
    ...others,
    ...alone.map((notice): PlannedMail => ({ kind: 'single', notices: [notice] })),
    ...(listed.length === 0 ? [] : [{ kind: 'list', notices: listed } as const]),
  ];
}

const byCreation = (one: LeadNotice, other: LeadNotice): number => (one.createdAt < other.createdAt ? -1 : 1);

/** Returns the state after a mail. The hour begins with its first mail about a lead. */
export function countMail(state: AddressState, kind: PlannedMail['kind'], now: string): AddressState {
  const sent = { ...state, failures: 0 };
  if (kind === 'other') return sent;
  const inHour = { ...sent, hourAt: state.hourAt ?? now };
  return kind === 'single' ? { ...inHour, singles: state.singles + 1 } : { ...inHour, isListed: true };
}
