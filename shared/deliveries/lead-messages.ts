import { leadJson } from '../leads/lead-json.ts';
import type { ChangedLead } from '../leads/ports.ts';
import { stringifyRawProperties } from '../leads/raw-json.ts';
import type { EventType, WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { deriveMessageId } from './derive-message-id.ts';
import { type Lane, type LaneMessage, toIsoString } from './lane.ts';
import type { LeadSubject } from './subject.ts';

type StoredLead = Extract<ChangedLead, { state: 'stored' }>;
type LeadLane = Lane<LeadSubject>;
type EndpointSelection = Pick<WebhookEndpoint, 'eventTypes' | 'createdAt'>;

/**
 * Returns the next message about the current state of a lead, or undefined if the endpoint needs none. The creation is
 * announced first, then a verification, then the completion. Each message shows the current state, so earlier updates
 * need no message of their own. An endpoint gets no message about a creation, verification or completion that is older
 * than the endpoint.
 */
export function nextLeadMessage(
  lane: LeadLane,
  endpoint: EndpointSelection,
  changed: StoredLead,
): LaneMessage | undefined {
  const milestones: EventType[] = [];
  const isFirst = lane.acknowledgedSeq === 0;
  const isAfterEndpoint = changed.lead.firstSubmittedAt >= endpoint.createdAt;
  if (isFirst && isAfterEndpoint) milestones.push('lead.created');
  const isVerified = changed.verifiedSeq > lane.acknowledgedVerifiedSeq;
  if (isVerified && (!isFirst || isAfterEndpoint || isVerifiedSince(changed, endpoint)))
    milestones.push('lead.verified');
  const { completedAt = '' } = changed.lead;
  const isCompleted = completedAt > (lane.acknowledgedCompletedAt ?? '');
  if (isCompleted && (!isFirst || completedAt >= endpoint.createdAt)) milestones.push('lead.completed');
  const [wanted, ...following] = milestones.filter((type) => endpoint.eventTypes.includes(type));
  const isUpdated = changed.seq > lane.acknowledgedSeq && endpoint.eventTypes.includes('lead.updated');
  const type = wanted ?? (isUpdated ? 'lead.updated' : undefined);
  if (type === undefined) return undefined;
  const { seq, changedAt, lead } = changed;
  const state = {
    seq,
    verifiedSeq: following.includes('lead.verified') ? lane.acknowledgedVerifiedSeq : changed.verifiedSeq,
    completedAt: following.includes('lead.completed') ? lane.acknowledgedCompletedAt : lead.completedAt,
    timestamp: changedAt,
    isFollowed: following.length > 0,
  };
  return renderMessage(lane, type, state, leadJson(lead));
}

/**
 * The order in which requested redeliveries are sent while the lead exists. After the lead's erasure, only
 * `lead.erased` is sent (`erasedMessage`).
 */
const REDELIVERED: EventType[] = ['lead.created', 'lead.verified', 'lead.completed', 'lead.updated'];

/** Returns the next requested redelivery, or undefined. The message shows the current state of the lead. */
export function redeliveredMessage(lane: LeadLane, changed: StoredLead): LaneMessage | undefined {
  const type = REDELIVERED.find((one) => lane.redeliveries.includes(one));
  if (type === undefined) return undefined;
  const { seq, verifiedSeq, changedAt, lead } = changed;
  const { completedAt } = lead;
  const { redeliveryId } = lane;
  const state = { seq, verifiedSeq, completedAt, timestamp: changedAt, isFollowed: false, redeliveryId };
  return renderMessage(lane, type, state, leadJson(lead));
}

/**
 * Whether a value of the lead was verified since the endpoint exists. Ignores a value that was verified and then
 * replaced, because only stored values have a verification time.
 */
const isVerifiedSince = ({ lead }: StoredLead, { createdAt }: EndpointSelection): boolean =>
  lead.verified.some(({ at }) => at >= createdAt);

/** Returns the message `lead.erased`. @param erased the tombstone of the lead; undefined if the lead has none */
export function erasedMessage(
  lane: LeadLane,
  erased: Extract<ChangedLead, { state: 'erased' }> | undefined,
  nowMs: number,
): LaneMessage {
  const seq = Math.max(erased?.seq ?? 0, lane.targetSeq, lane.acknowledgedSeq);
  const timestamp = erased?.erasedAt ?? toIsoString(nowMs);
  const redeliveryId = lane.redeliveries.length > 0 ? lane.redeliveryId : undefined;
  return renderMessage(lane, 'lead.erased', { seq, verifiedSeq: 0, timestamp, isFollowed: false, redeliveryId });
}

type State = Pick<LaneMessage, 'seq' | 'verifiedSeq' | 'completedAt' | 'isFollowed' | 'redeliveryId'> & {
  timestamp: string;
};

function renderMessage(
  { orgId, subject: { funnelId, leadId }, endpointId }: LeadLane,
  type: EventType,
  { timestamp, redeliveryId, ...state }: State,
  lead?: string,
): LaneMessage {
  const ids = { version: 1, orgId, funnelId, leadId, seq: state.seq };
  const data: [string, string][] = Object.entries(ids).map(([name, value]) => [name, JSON.stringify(value)]);
  if (lead !== undefined) data.push(['lead', lead]);
  return {
    id: deriveMessageId([
      endpointId,
      funnelId,
      leadId,
      type,
      state.seq,
      timestamp,
      ...(redeliveryId ? [redeliveryId] : []),
    ]),
    type,
    body: stringifyRawProperties([
      ['type', JSON.stringify(type)],
      ['timestamp', JSON.stringify(timestamp)],
      ['data', stringifyRawProperties(data)],
    ]),
    ...state,
    redeliveryId,
  };
}
