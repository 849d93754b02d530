import type { EventType, WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { acknowledge, type Lane, type LaneMessage } from './lane.ts';
import { deriveMessageId } from './next-message.ts';
import type { NextStep } from './ports.ts';

/** The number of the only change of a subject. */
export const ONLY_SEQ = 1;

type SingleEvent = {
  type: EventType;
  /** When the event occurred, ISO 8601 UTC with milliseconds. */
  at: string;
  /** The ids that the data begins with. */
  ids: Record<string, string>;
  data: Record<string, unknown>;
};

/**
 * Determines what a lane needs if its subject has one event in its life, which never changes. An endpoint that is younger
 * than the event gets no message.
 */
export function nextOfSingle(lane: Lane, endpoint: WebhookEndpoint, { type, at, ids, data }: SingleEvent): NextStep {
  const { inFlight, acknowledgedSeq, endpointId } = lane;
  if (inFlight !== undefined) return { message: inFlight };
  if (acknowledgedSeq >= ONLY_SEQ || at < endpoint.createdAt) return { idleLane: acknowledge(lane, ONLY_SEQ, 0) };
  const message: LaneMessage = {
    id: deriveMessageId([endpointId, ...Object.values(ids), type, ONLY_SEQ, at]),
    type,
    body: JSON.stringify({ type, timestamp: at, data: { version: 1, ...ids, seq: ONLY_SEQ, ...data } }),
    seq: ONLY_SEQ,
    verifiedSeq: 0,
    isFollowed: false,
  };
  return { message };
}
