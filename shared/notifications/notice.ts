import type { LeadKey } from '../leads/lead.ts';
import type { NotificationAddress } from './notification-address.ts';

/** A webhook endpoint that was paused because its messages failed. Times are ISO 8601 UTC. */
export type PausedEndpoint = {
  orgId: string;
  endpointId: string;
  url: string;
  failingSince: string;
  pausedAt: string;
};

/** A fact that the next mail to an address must contain. `at`: when the notice was stored, ISO 8601 UTC. */
export type Notice = { at: string } & (
  | { kind: 'confirmation' }
  /** A new lead. `createdAt`: the time of its first submit. */
  | { kind: 'lead'; lead: LeadKey; createdAt: string }
  | { kind: 'paused'; endpoint: Omit<PausedEndpoint, 'orgId'> }
);
export type LeadNotice = Extract<Notice, { kind: 'lead' }>;

/** Which mails about leads were sent to an address in the current hour, and how many mails failed in a row. */
export type AddressState = {
  /**
   * Start of the hour in which mails are counted, ISO 8601 UTC. Undefined if this hour has ended, or if no mail about a
   * lead was sent yet.
   */
  hourAt: string | undefined;
  /** Number of mails of the kind `single` (see `PlannedMail`) that were sent since `hourAt`. */
  singles: number;
  /** Whether a mail of the kind `list` was sent since `hourAt`. */
  isListed: boolean;
  failures: number;
};

/** Exclusive access of a run to the notices of an address until `heldUntil`. */
export type AddressLease = {
  addressId: string;
  orgId: string;
  /** Number of times that notices had been added when the lease began. Later additions change the stored number. */
  noticesAdded: number;
  heldUntil: string;
  state: AddressState;
};

const MINUTE_MS = 60_000;

/** Delay of a mail about a lead after its notice. The mail then also shows the next steps of the visitor. */
export const LEAD_DELAY_SECONDS = 300;

/**
 * Maximum number of mails per hour that show only one lead. After them, one more mail in that hour can list several
 * leads.
 */
export const SINGLES_PER_HOUR = 20;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Returns the state at `nowMs`. If the hour has ended, clears `hourAt` and the counts. The next mail about a lead
 * begins a new hour.
 */
export const stateAt = (state: AddressState, nowMs: number): AddressState =>
  state.hourAt !== undefined && nowMs < hourEndMs(state.hourAt)
    ? state
    : { ...state, hourAt: undefined, singles: 0, isListed: false };

const hourEndMs = (hourAt: string): number => Date.parse(hourAt) + HOUR_MS;

/**
 * Returns when the address can get the next mail about a lead. If the address gets a mail for each lead, and the
 * maximum number of mails was sent in this hour, returns the end of the hour, otherwise 0 (at once).
 */
export const nextLeadMs = (
  { hourAt, singles, isListed }: AddressState,
  { mode }: Pick<NotificationAddress, 'mode'>,
): number =>
  mode === 'each_lead' && isListed && singles >= SINGLES_PER_HOUR && hourAt !== undefined ? hourEndMs(hourAt) : 0;

const RETRY_MS_MAX = HOUR_MS;

/** Delay after a failed mail: 1 minute after the first failure, then twice the last delay, at most an hour. */
export const retryDelayMs = (failures: number): number => Math.min(MINUTE_MS * 2 ** (failures - 1), RETRY_MS_MAX);

/** If its mails fail, a notice is given up this long after it became due. */
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS;

export const toIsoString = (ms: number): string => new Date(ms).toISOString();
