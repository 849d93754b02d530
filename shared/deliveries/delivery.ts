import type { Attempt, AttemptFailure } from '../webhooks/attempt.ts';
import type { EventType } from '../webhooks/webhook-endpoint.ts';
import { GIVE_UP_AFTER_MS, type LaneKey, type MessageInFlight } from './lane.ts';

/** How long the history of a message is kept after its first attempt. */
export const HISTORY_DAYS = 30;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One attempt. Times are ISO 8601 UTC with milliseconds. */
export type DeliveryAttempt = {
  /** From 1. If the process dies before it stores the outcome of an attempt, the history lacks this attempt. */
  number: number;
  startedAt: string;
  durationMs: number;
  /** Null if there was no response. */
  status: number | null;
  /** Why there was no response. Null if there was one. The API and stored items use this name. */
  problem: AttemptFailure | null;
};

/** What happened to a message: ids and outcomes, no payload. */
export type Delivery = LaneKey & {
  orgId: string;
  messageId: string;
  type: EventType;
  seq: number;
  firstAttemptAt: string;
  status: DeliveryStatus;
  attempts: DeliveryAttempt[];
};

/**
 * Identifies the history of a message. The key includes `firstAttemptAt`, because a message that is sent again after a
 * pause can have the same id.
 */
export type DeliveryKey = Pick<Delivery, 'endpointId' | 'messageId' | 'firstAttemptAt'>;

export const deliveryKey = ({ endpointId }: LaneKey, { id, firstAttemptAt }: MessageInFlight): DeliveryKey => ({
  endpointId,
  messageId: id,
  firstAttemptAt,
});

export const describeAttempt = (number: number, startedAt: string, attempt: Attempt): DeliveryAttempt => ({
  number,
  startedAt,
  durationMs: attempt.durationMs,
  status: attempt.outcome === 'responded' ? attempt.status : null,
  problem: attempt.outcome === 'responded' ? null : attempt.outcome === 'refused' ? 'refused' : attempt.reason,
});

export const isAccepted = ({ status }: Pick<DeliveryAttempt, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

/** When the history of a message expires, in milliseconds since the epoch. */
export const expiryOf = (firstAttemptAt: string): number => Date.parse(firstAttemptAt) + HISTORY_DAYS * DAY_MS;

/**
 * Returns the status. An erasure or a crash can leave a message `pending` permanently. If the first attempt of a
 * pending message was more than `GIVE_UP_AFTER_MS` plus one hour ago, returns `failed`.
 */
export const effectiveStatus = ({ status, firstAttemptAt }: Delivery, nowMs: number): DeliveryStatus =>
  status === 'pending' && nowMs > Date.parse(firstAttemptAt) + GIVE_UP_AFTER_MS + HOUR_MS ? 'failed' : status;
