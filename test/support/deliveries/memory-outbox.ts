import { shardOfLead } from '../../../shared/leads/index-shards.ts';
import type { Lead, LeadKey } from '../../../shared/leads/lead.ts';
import type { ChangedLead, LeadOutbox } from '../../../shared/leads/ports.ts';
import { aLead } from '../leads/a-lead.ts';

type Stored = {
  key: LeadKey;
  seq: number;
  verifiedSeq: number;
  changedAt: string;
  sinceMs: number;
  dueAtMs: number | undefined;
  wasNeverDispatched: boolean;
  /** Whether a creation, verification, completion or erasure is pending. */
  isDueAtOnce: boolean;
  lead: Lead;
  state: ChangedLead['state'];
};

const SETTLE_MS = 60_000;
const SETTLE_MS_MAX = 600_000;
const isoAt = (ms: number): string => new Date(ms).toISOString();
const nameOf = ({ funnelId, leadId }: LeadKey): string => `${funnelId}/${leadId}`;

/** The leads and their outbox, in memory: a model of what the writes of leads do. */
export function createMemoryOutbox(clock: { now(): number }) {
  const leads = new Map<string, Stored>();
  const require = (key: LeadKey): Stored => {
    const found = leads.get(nameOf(key));
    if (found === undefined) throw new Error('There is no such lead.');
    return found;
  };
  const change = (stored: Stored, isMilestone: boolean) => {
    const nowMs = clock.now();
    stored.seq++;
    stored.changedAt = isoAt(nowMs);
    if (stored.dueAtMs === undefined) stored.sinceMs = nowMs;
    if (isMilestone) Object.assign(stored, { dueAtMs: nowMs, isDueAtOnce: true });
    else stored.dueAtMs ??= nowMs + SETTLE_MS;
  };
  const isStoredAt = (key: LeadKey, seq: number) => leads.get(nameOf(key))?.seq === seq;
  const outbox: LeadOutbox = {
    listDue: async (shard, nowMs, limit) => {
      const due = [...leads.values()]
        .filter(({ key, dueAtMs }) => shardOfLead(key.leadId) === shard && dueAtMs !== undefined && dueAtMs <= nowMs)
        .sort((one, other) => (one.dueAtMs ?? 0) - (other.dueAtMs ?? 0));
      const page = due.slice(0, limit).map(({ key, dueAtMs = 0 }) => ({ ...key, dueAt: isoAt(dueAtMs) }));
      return { leads: page, isLast: due.length <= limit };
    },
    read: async (key) => {
      const found = leads.get(nameOf(key));
      if (found === undefined) return undefined;
      const { state, seq, verifiedSeq, wasNeverDispatched, isDueAtOnce, changedAt, dueAtMs, sinceMs, lead } = found;
      const isInOutbox = dueAtMs !== undefined;
      if (state === 'expired_or_erasing') return { isInOutbox, state, seq };
      if (state === 'erased') return { isInOutbox, state, seq, erasedAt: changedAt };
      const updatesDispatchAtMs = Math.min(Date.parse(changedAt) + SETTLE_MS, sinceMs + SETTLE_MS_MAX);
      const dispatchAtMs = isDueAtOnce ? 0 : updatesDispatchAtMs;
      return {
        isInOutbox,
        state,
        seq,
        verifiedSeq,
        wasNeverDispatched,
        changedAt,
        dispatchAtMs,
        // Always correct here. The DynamoDB adapter also returns false if it cannot exclude that a milestone is pending.
        hasOnlyUpdatesPending: !isDueAtOnce,
        lead: structuredClone(lead),
      };
    },
    clear: async (key, { seq }) => {
      if (!isStoredAt(key, seq)) return false;
      Object.assign(require(key), { dueAtMs: undefined, wasNeverDispatched: false, isDueAtOnce: false });
      return true;
    },
    postpone: async (key, seq, untilMs) => {
      if (!isStoredAt(key, seq) || require(key).dueAtMs === undefined) return false;
      require(key).dueAtMs = untilMs;
      return true;
    },
  };
  return {
    outbox,
    /** The state of a lead with its number of changes. */
    stored: (key: LeadKey) => leads.get(nameOf(key)),
    dueTimes: () => [...leads.values()].flatMap(({ dueAtMs }) => (dueAtMs === undefined ? [] : isoAt(dueAtMs))),
    create: ({ seq = 1, ...key }: LeadKey & { seq?: number }, data: Record<string, string> = {}) => {
      const changedAt = isoAt(clock.now());
      const lead = { ...aLead(key, changedAt), data: new Map(Object.entries(data)) };
      const state = 'stored' as const;
      const times = { changedAt, sinceMs: clock.now(), dueAtMs: clock.now() };
      leads.set(nameOf(key), {
        key,
        seq,
        verifiedSeq: 0,
        wasNeverDispatched: true,
        isDueAtOnce: true,
        lead,
        state,
        ...times,
      });
    },
    update: (key: LeadKey, data: Record<string, string>) => {
      const stored = require(key);
      change(stored, false);
      const { lead, changedAt: submittedAt } = stored;
      const merged = new Map([...lead.data, ...Object.entries(data)]);
      stored.lead = { ...lead, submittedAt, submits: lead.submits + 1, data: merged };
    },
    verify: (key: LeadKey, field: string) => {
      const stored = require(key);
      change(stored, true);
      stored.verifiedSeq = stored.seq;
      stored.lead = { ...stored.lead, verified: [{ field, at: stored.changedAt }] };
    },
    complete: (key: LeadKey) => {
      const stored = require(key);
      const { lead } = stored;
      change(stored, lead.completedAt === undefined);
      stored.lead = { ...lead, submits: lead.submits + 1, completedAt: lead.completedAt ?? stored.changedAt };
    },
    markErasing: (key: LeadKey) => Object.assign(require(key), { state: 'expired_or_erasing', dueAtMs: undefined }),
    replaceWithTombstone: (key: LeadKey) => {
      const stored = require(key);
      change(stored, true);
      stored.state = 'erased';
    },
    delete: (key: LeadKey) => void leads.delete(nameOf(key)),
  };
}
