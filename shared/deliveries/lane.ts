import type { EventType } from '../webhooks/webhook-endpoint.ts';
import { DISPATCHER_TIMEOUT_MS } from './dispatch-times.ts';
import type { Subject } from './subject.ts';

export type LaneKey<S extends Subject = Subject> = { subject: S; endpointId: string };

/** A message about a subject. All attempts send the same id and body. */
export type LaneMessage = {
  /** Derived from the lane, the type and the state, so that the same message always has the same id. */
  id: string;
  type: EventType;
  body: string;
  /** The body includes the changes of the subject up to this number. */
  seq: number;
  /**
   * After this message, the endpoint knows of the verifications up to this `seq`. 0: it knows of no verification, or
   * the message is not about a lead.
   */
  verifiedSeq: number;
  /** When the lead was completed. Undefined: after this message, the endpoint does not know of a completion. */
  completedAt?: string | undefined;
  /** Whether a message of another type about the same state follows. */
  isFollowed: boolean;
  /** Set if the message is a redelivery: the id of the request. */
  redeliveryId?: string | undefined;
};

export type MessageInFlight = LaneMessage & {
  firstAttemptAt: string;
  /** Number of attempts that began. */
  attempts: number;
};

/**
 * The deliveries about one subject to one webhook endpoint, which are sent one after the other. Times are ISO 8601 UTC
 * with milliseconds.
 */
export type Lane<S extends Subject = Subject> = LaneKey<S> & {
  orgId: string;
  /**
   * Changes with each write of `LaneRepository` except `raise`, `redeliver` and `postpone`. Undefined: only these three
   * methods have written the lane.
   */
  version: string | undefined;
  /** `seq` of the latest change with which the lane was raised. */
  targetSeq: number;
  /**
   * `seq` of the latest change that needs no further message: a message that includes it was delivered or given up, or
   * the endpoint does not want one. 0: none.
   */
  acknowledgedSeq: number;
  /** Verifications up to this `seq` need no further message, for the same reasons. 0: none. */
  acknowledgedVerifiedSeq: number;
  /** `completedAt` of the completion that needs no further message, for the same reasons. */
  acknowledgedCompletedAt?: string | undefined;
  inFlight: MessageInFlight | undefined;
  /** Types of messages for which a redelivery was requested and has not ended. */
  redeliveries: EventType[];
  /** Id of the latest request for a redelivery. The ids of redelivered messages are derived from it. */
  redeliveryId: string | undefined;
  /** When the lane is due. Undefined: it has no work. */
  nextAt: string | undefined;
};

/**
 * If an attempt began and its outcome was not stored, the lane is due again after this time. Equal to the timeout of
 * the dispatcher, so that two processes never send messages of a lane at the same time.
 */
const ATTEMPT_HOLD_MS = DISPATCHER_TIMEOUT_MS;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** A message gets no further attempt when its first attempt is this long ago. */
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS;
const RETRY_DELAYS_MS = [
  ...[5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...[1 * HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS],
];
const RETRY_DELAY_MS_MAX = 8 * HOUR_MS;
/** A delay is shortened by up to this share, so that retries after an outage do not all start at the same time. */
const JITTER = 0.2;

/**
 * The due time of the lanes of a paused endpoint. It is in 1970, so that a query can exclude these lanes while the
 * endpoint is paused. When the endpoint is resumed, these lanes are due without another write.
 */
export const PARKED_AT = new Date(0).toISOString();

export const toIsoString = (ms: number): string => new Date(ms).toISOString();

export const isDue = ({ nextAt }: Lane, nowMs: number): boolean => nextAt !== undefined && Date.parse(nextAt) <= nowMs;

/**
 * Begins an attempt. The lane is not due until the attempt ends. If the process dies during the attempt, the lane is
 * due after `ATTEMPT_HOLD_MS`.
 */
export function beginAttempt(lane: Lane, message: LaneMessage, nowMs: number): Lane & { inFlight: MessageInFlight } {
  const { firstAttemptAt, attempts } = lane.inFlight ?? { firstAttemptAt: toIsoString(nowMs), attempts: 0 };
  return {
    ...lane,
    inFlight: { ...message, firstAttemptAt, attempts: attempts + 1 },
    nextAt: toIsoString(nowMs + ATTEMPT_HOLD_MS),
  };
}

/** Ends a message that was delivered, was given up or is not wanted. */
export function endMessage(lane: Lane, message: LaneMessage, nowMs: number): Lane {
  const { seq, verifiedSeq, completedAt, isFollowed } = message;
  // `acknowledge` drops all requests for redeliveries. The requests that are still open are added again below.
  const known = acknowledge(lane, seq, verifiedSeq, completedAt);
  const redeliveries = lane.redeliveries.filter((type) => message.redeliveryId === undefined || type !== message.type);
  const hasWork = isFollowed || lane.targetSeq > seq || redeliveries.length > 0;
  return { ...known, redeliveries, nextAt: hasWork ? toIsoString(nowMs) : undefined };
}

/**
 * For a redelivery that was requested while `lead.erased` was in flight. Removes the message in flight and makes the
 * lane due, so that `lead.erased` is sent again, with another id.
 */
export const endErasedForRedelivery = (lane: Lane, nowMs: number): Lane => ({
  ...lane,
  inFlight: undefined,
  nextAt: toIsoString(nowMs),
});

/** Resets the lane of an erased lead, because a new lead has the same id. */
export const startOver = (lane: Lane, nowMs: number): Lane => ({
  ...acknowledge(lane, 0, 0),
  nextAt: toIsoString(nowMs),
});

/**
 * Records that the endpoint needs no message about this state or an earlier state of the subject. Drops requests to
 * send messages again. The lane is then not due.
 */
export function acknowledge(lane: Lane, seq: number, verifiedSeq: number, completedAt?: string): Lane {
  return {
    ...lane,
    inFlight: undefined,
    acknowledgedSeq: seq,
    acknowledgedVerifiedSeq: verifiedSeq,
    acknowledgedCompletedAt: completedAt,
    redeliveries: [],
    nextAt: undefined,
  };
}

/** Drops the work of the lane, but keeps what is acknowledged, so that no creation is announced again. */
export const dropWork = (lane: Lane): Lane => ({ ...lane, inFlight: undefined, redeliveries: [], nextAt: undefined });

/** Keeps the work of the lane until its endpoint is resumed. The next message will show the state at that time. */
export const park = (lane: Lane): Lane => ({ ...lane, inFlight: undefined, nextAt: PARKED_AT });

/**
 * Makes the lane due at the time of the next attempt, or at the time when the message is given up if this is earlier.
 * With `Retry-After`, the receiver can delay the attempt by up to 8 hours.
 *
 * @param random from 0 to 1
 */
export function postponeAttempt(
  lane: Lane,
  { attempts, firstAttemptAt }: MessageInFlight,
  { nowMs, random, retryAfterSeconds = 0 }: { nowMs: number; random: number; retryAfterSeconds?: number | undefined },
): Lane {
  const delayMs = (RETRY_DELAYS_MS[attempts - 1] ?? RETRY_DELAY_MS_MAX) * (1 - JITTER * random);
  const requestedMs = Math.min(retryAfterSeconds * SECOND_MS, RETRY_DELAY_MS_MAX);
  const givenUpAtMs = Date.parse(firstAttemptAt) + GIVE_UP_AFTER_MS;
  return { ...lane, nextAt: toIsoString(Math.min(nowMs + Math.max(delayMs, requestedMs), givenUpAtMs)) };
}

export const isGivenUp = ({ firstAttemptAt }: MessageInFlight, nowMs: number): boolean =>
  nowMs >= Date.parse(firstAttemptAt) + GIVE_UP_AFTER_MS;
