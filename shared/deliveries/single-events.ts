import type { EventType, WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { deriveMessageId } from './derive-message-id.ts';
import { acknowledge, type Lane, type LaneMessage } from './lane.ts';
import type { EventSource, NextStep } from './ports.ts';
import type { Subject } from './subject.ts';

/** The outbox of subjects about which only one event occurs. */
export type SingleEventOutbox<Ids, State> = {
  /** Oldest first. Eventually consistent. */
  listDue(nowMs: number, limit: number): Promise<{ due: (Ids & { dueAt: string })[]; isLast: boolean }>;
  /** Strongly consistent. Undefined: the event has not occurred, or the subject was erased. */
  read(ids: Ids): Promise<{ state: State; isInOutbox: boolean } | undefined>;
  /** Removes the subject from the outbox. Returns false and writes nothing if the subject is not in the outbox. */
  clear(ids: Ids): Promise<boolean>;
};

export type SingleEvent = {
  type: EventType;
  /** When the event occurred, ISO 8601 UTC with milliseconds. */
  at: string;
  data: Record<string, unknown>;
};

type OfOrganization = Exclude<Subject, { kind: 'lead' }>;
type IdsOf<S> = Omit<S, 'kind'>;

/** The number of the only change of a subject. */
const ONLY_SEQ = 1;

/**
 * Creates the source of events that occur once in the life of a subject, and whose data never changes. Sends nothing
 * about erased subjects. Endpoints get only events that occurred after their creation.
 */
export const createSingleEvents = <S extends OfOrganization, State>(
  outbox: SingleEventOutbox<IdsOf<S>, State>,
  { subjectOf, eventOf }: { subjectOf(ids: IdsOf<S>): S; eventOf(state: State): SingleEvent },
): EventSource<S> => ({
  shardCount: 1,
  listDue: async (_shard, nowMs, limit) => {
    const { due, isLast } = await outbox.listDue(nowMs, limit);
    return { due: due.map((one) => ({ subject: subjectOf(one), dueAt: one.dueAt })), isLast };
  },
  read: async (subject) => {
    const found = await outbox.read(subject);
    if (!found?.isInOutbox) return undefined;
    const { type } = eventOf(found.state);
    const leaveOutbox = () => outbox.clear(subject);
    return { action: 'dispatch', seq: ONLY_SEQ, orgId: subject.orgId, wantedTypes: [type], leaveOutbox };
  },
  next: async (lane, endpoint) => {
    const found = await outbox.read(lane.subject);
    return found === undefined ? 'end' : nextOf(lane, endpoint, eventOf(found.state));
  },
});

function nextOf(lane: Lane<OfOrganization>, endpoint: WebhookEndpoint, { type, at, data }: SingleEvent): NextStep {
  const { inFlight, acknowledgedSeq, endpointId, redeliveries } = lane;
  if (inFlight !== undefined) return { message: inFlight };
  const isUnsent = acknowledgedSeq < ONLY_SEQ && at >= endpoint.createdAt;
  if (!isUnsent && !redeliveries.includes(type)) return { idleLane: acknowledge(lane, ONLY_SEQ, 0) };
  const redeliveryId = isUnsent ? undefined : lane.redeliveryId;
  const { kind: _kind, ...ids } = lane.subject;
  const message: LaneMessage = {
    id: deriveMessageId([
      endpointId,
      ...Object.values(ids),
      type,
      ONLY_SEQ,
      at,
      ...(redeliveryId ? [redeliveryId] : []),
    ]),
    type,
    body: JSON.stringify({ type, timestamp: at, data: { version: 1, ...ids, seq: ONLY_SEQ, ...data } }),
    seq: ONLY_SEQ,
    verifiedSeq: 0,
    isFollowed: false,
    redeliveryId,
  };
  return { message };
}
