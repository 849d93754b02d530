import type { Funnel } from '../funnels/funnel.ts';
import { INDEX_SHARD_COUNT } from '../leads/index-shards.ts';
import type { Lead } from '../leads/lead.ts';
import type { LeadOutbox } from '../leads/ports.ts';
import type { Clock } from '../platform/clock.ts';
import { EVENT_TYPES } from '../webhooks/webhook-endpoint.ts';
import { acknowledge } from './lane.ts';
import { erasedMessage, nextLeadMessage, redeliveredMessage } from './lead-messages.ts';
import type { EventSource } from './ports.ts';
import type { LeadSubject } from './subject.ts';

export type LeadEventPorts = {
  outbox: LeadOutbox;
  /** Strongly consistent: if a funnel is not found, its leads are removed from the outbox without any message. */
  funnels: { find(funnelId: string): Promise<Pick<Funnel, 'orgId'> | undefined> };
  /** Stores the notices of a new lead for the organization's confirmed notification addresses. Idempotent. */
  notifyLead(orgId: string, lead: Lead): Promise<void>;
  clock: Clock;
};

const LEAD_TYPES = EVENT_TYPES.filter((type) => type.startsWith('lead.'));

/** The changes of leads (ADR 0028). */
export const createLeadEvents = ({ outbox, funnels, notifyLead, clock }: LeadEventPorts): EventSource<LeadSubject> => ({
  shardCount: INDEX_SHARD_COUNT,
  listDue: async (shard, nowMs, limit) => {
    const { leads, isLast } = await outbox.listDue(shard, nowMs, limit);
    return { due: leads.map(({ dueAt, ...key }) => ({ subject: { kind: 'lead', ...key }, dueAt })), isLast };
  },
  read: async (subject) => {
    const changed = await outbox.read(subject);
    if (changed === undefined || !changed.isInOutbox) return undefined;
    const { seq } = changed;
    if (changed.state === 'stored' && changed.dispatchAtMs > clock.now())
      return { action: 'postpone', postpone: () => outbox.postpone(subject, seq, changed.dispatchAtMs) };
    const funnel = changed.state === 'expired_or_erasing' ? undefined : await funnels.find(subject.funnelId);
    const orgId = funnel?.orgId;
    const leaveOutbox = async () => {
      if (changed.state === 'stored' && changed.wasNeverDispatched && orgId !== undefined)
        await notifyLead(orgId, changed.lead);
      return outbox.clear(subject, changed);
    };
    if (orgId === undefined) return { action: 'drop', leaveOutbox };
    // If only updates are pending, only the lanes of endpoints that want `lead.updated` are raised. Otherwise, the lanes
    // of all endpoints that want messages about leads are raised. For an endpoint that does not want the type of the
    // change, the lane only acknowledges the change. Without this, an endpoint that selects the type later would get a
    // message about it.
    const hasOnlyUpdates = changed.state === 'stored' && changed.hasOnlyUpdatesPending;
    return { action: 'dispatch', seq, orgId, wantedTypes: hasOnlyUpdates ? ['lead.updated'] : LEAD_TYPES, leaveOutbox };
  },
  next: async (lane, endpoint) => {
    const { inFlight } = lane;
    if (inFlight?.type === 'lead.erased') return { message: inFlight };
    const changed = await outbox.read(lane.subject);
    // The lead has expired or is being erased, so the lane becomes idle. The erasure later stores a tombstone and puts
    // the lead into the outbox again. The dispatch of this change then raises the lane.
    if (changed?.state === 'expired_or_erasing')
      return { idleLane: { ...lane, inFlight: undefined, nextAt: undefined } };
    if (changed?.state !== 'stored') return { message: erasedMessage(lane, changed, clock.now()) };
    const message = inFlight ?? nextLeadMessage(lane, endpoint, changed) ?? redeliveredMessage(lane, changed);
    if (message !== undefined) return { message };
    const { seq, verifiedSeq, lead } = changed;
    return { idleLane: acknowledge(lane, seq, verifiedSeq, lead.completedAt) };
  },
});
