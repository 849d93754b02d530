import { randomUUID } from 'node:crypto';
import type { RetentionPeriods } from '../../../shared/organizations/organization.ts';
import { uuidV7 } from '../../../shared/platform/uuid-v7.ts';
import { enforceRetention } from '../../../shared/privacy/enforce-retention.ts';
import type { RetentionRunPorts } from '../../../shared/privacy/ports.ts';
import { createCallErasers } from '../../../shared/privacy/retention-erasers.ts';
import type { CallRetentionRepository, RetainedCall } from '../../../shared/training/ports.ts';
import { createInMemoryLeadIndex } from '../leads/lead-index.ts';
import { HOUR_MS, type MemoryCall } from '../training/calls.ts';
import { erasureWorld, keysOf } from '../training/erasures.ts';
import { type Around, effects } from '../training/lifecycle.ts';

export const DAY_MS = 24 * HOUR_MS;

type Funnel = {
  leadRetentionDays?: number;
  earlierLeadRetention: { days: number; until: string }[];
  index: ReturnType<typeof createInMemoryLeadIndex>;
  leads: Map<string, string>;
  sealed: Set<string>;
  /** Leads whose stored end of the retention period has passed. */
  expired: Set<string>;
};
type Organization = { retention: RetentionPeriods; funnels: Map<string, Funnel> };

/**
 * Creates an empty in-memory world, with functions that add organizations, funnels, leads and calls, and that
 * execute the daily retention run.
 */
export function retentionWorld() {
  const world = erasureWorld();
  const { clock, calls, portsOf } = world;
  const organizations = new Map<string, Organization>();
  const withoutRecording = new Set<string>();
  const done = new Map<string, string>();
  const oldCallOf = (call: MemoryCall): RetainedCall => ({
    orgId: call.orgId,
    callId: call.callId,
    conversationId: call.conversationId,
    isInProgress: call.status === 'pending' || call.status === 'processing',
    hasRecording: call.recordingKey !== null,
    isRecordingErased: withoutRecording.has(call.callId),
    isDue: call.dueAtMs !== undefined,
    updatedAtMs: call.updatedAtMs,
  });
  const oldCalls: CallRetentionRepository = {
    listCreatedBefore: async function* (orgId, createdAtMs, after = '') {
      const found = [...calls.stored.values()]
        .filter((call) => call.orgId === orgId && call.createdAtMs <= createdAtMs && call.callId > after)
        .sort((one, other) => (one.callId < other.callId ? -1 : 1));
      for (let at = 0; at < found.length; at += 100) yield found.slice(at, at + 100).map(oldCallOf);
    },
    readRecordingCursor: async (orgId) => done.get(orgId),
    saveRecordingCursor: async (orgId, callId) => {
      if (callId > (done.get(orgId) ?? '')) done.set(orgId, callId);
    },
    markRecordingErased: async (call) => {
      const stored = calls.stored.get(call.callId);
      if (stored === undefined || oldCallOf(stored).isInProgress || stored.dueAtMs !== undefined) return false;
      calls.stored.set(call.callId, { ...stored, recordingKey: null });
      withoutRecording.add(call.callId);
      return true;
    },
  };
  const funnelOf = (funnelId: string) =>
    [...organizations.values()].flatMap(({ funnels }) => [...funnels]).find(([id]) => id === funnelId)?.[1];
  const leadErased: string[] = [];
  const eraseLead: RetentionRunPorts['eraseLead'] = async ({ funnelId, leadId }, lastSubmitUntil) => {
    const funnel = funnelOf(funnelId);
    const submittedAt = funnel?.leads.get(leadId);
    if (submittedAt === undefined) return 'not_found';
    const isDue = submittedAt <= (lastSubmitUntil ?? '') || funnel?.expired.has(leadId) || funnel?.sealed.has(leadId);
    if (!isDue) return 'not_due';
    funnel?.leads.delete(leadId);
    funnel?.index.erase(leadId);
    leadErased.push(leadId);
    return 'erased';
  };
  /** The ports of one run. @param around wraps each effect, to inject faults before, after or instead of it */
  const processOf = (around: Around = (_effect, work) => work()): RetentionRunPorts => {
    const { erasures, objects, deliveries, voice, log } = portsOf(around);
    const kept = effects('calls', { ...oldCalls, until: undefined }, around);
    const erasers = createCallErasers({
      calls: { erasures, objects, deliveries, voice },
      oldCalls: kept,
      clock,
      log,
    });
    const directory = {
      listIds: async () => [...organizations.keys()],
      find: async (orgId: string) => organizations.get(orgId),
      listFunnelIds: async (orgId: string) => [...(organizations.get(orgId)?.funnels.keys() ?? [])],
    };
    const { listIds, find, listFunnelIds } = effects('directory', directory, around);
    return {
      ...erasers,
      ...effects('leads', { eraseLead }, around),
      organizations: { listIds, find },
      funnels: { listFunnelIds, find: async (funnelId) => funnelOf(funnelId) },
      leads: { listEntries: async (query) => around('leads.page', async () => pageOf(query)) },
      calls: { ...kept, listCreatedBefore: oldCalls.listCreatedBefore },
      clock,
      log,
      random: () => 0,
    };
  };
  const pageOf = async (query: Parameters<RetentionRunPorts['leads']['listEntries']>[0]) =>
    funnelOf(query.funnelId)?.index.index.listEntries(query) ?? { entries: [], isLast: true };

  return {
    ...world,
    organizations,
    oldCalls,
    done,
    leadErased,
    processOf,
    organization: (retention: RetentionPeriods = {}) => {
      const id = randomUUID();
      organizations.set(id, { retention, funnels: new Map() });
      return id;
    },
    funnel: (orgId: string, leadRetentionDays?: number) => {
      const id = randomUUID();
      const funnel: Funnel = {
        ...(leadRetentionDays !== undefined && { leadRetentionDays }),
        earlierLeadRetention: [],
        index: createInMemoryLeadIndex(id),
        leads: new Map(),
        sealed: new Set(),
        expired: new Set(),
      };
      organizations.get(orgId)?.funnels.set(id, funnel);
      return { id, ...funnel };
    },
    /** Adds a lead whose last submit was this long ago. */
    lead: ({ index, leads }: Pick<Funnel, 'index' | 'leads'>, agoMs: number, leadId: string = randomUUID()) => {
      leads.set(leadId, new Date(clock.ms - agoMs).toISOString());
      index.submit(leadId, clock.ms - agoMs);
      return leadId;
    },
    /** Simulates an interrupted erasure of the lead. */
    seal: ({ index, sealed }: Pick<Funnel, 'index' | 'sealed'>, leadId: string) => {
      sealed.add(leadId);
      index.seal(leadId);
    },
    /** Adds a finished call that was opened this long ago, with two transcript objects and a recording. */
    call: (orgId: string, agoMs: number, overrides: Partial<MemoryCall> = {}) => {
      const createdAtMs = clock.ms - agoMs;
      const ids = { orgId, callId: uuidV7(createdAtMs) };
      const [, , recordingKey = null] = keysOf(ids);
      return world.addReady({ ...ids, createdAtMs, updatedAtMs: createdAtMs, recordingKey, ...overrides });
    },
    run: async (around?: Around) => Object.fromEntries(await enforceRetention(processOf(around))),
  };
}
