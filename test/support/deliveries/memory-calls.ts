import type { CallIds } from '../../../shared/training/call.ts';
import type { CallOutbox, ScoredCall } from '../../../shared/training/ports.ts';

const isoAt = (ms: number): string => new Date(ms).toISOString();

/** Scored calls with their outbox, in memory: a model of what the writes of calls do. */
export function createMemoryCallOutbox(clock: { now(): number }) {
  const calls = new Map<string, { ids: CallIds; call: ScoredCall; isInOutbox: boolean }>();
  const outbox: CallOutbox = {
    listDue: async (nowMs, limit) => {
      const due = [...calls.values()].filter(({ call, isInOutbox }) => isInOutbox && call.scoredAt <= isoAt(nowMs));
      const page = due.slice(0, limit).map(({ ids, call }) => ({ ...ids, dueAt: call.scoredAt }));
      return { calls: page, isLast: due.length <= limit };
    },
    read: async ({ callId }) => structuredClone(calls.get(callId)),
    clear: async ({ callId }) => {
      const stored = calls.get(callId);
      if (!stored?.isInOutbox) return false;
      stored.isInOutbox = false;
      return true;
    },
  };
  return {
    outbox,
    stored: ({ callId }: CallIds) => calls.get(callId),
    dueTimes: () => [...calls.values()].flatMap(({ call, isInOutbox }) => (isInOutbox ? call.scoredAt : [])),
    score: (ids: CallIds) => {
      const scoredAt = isoAt(clock.now());
      const criteria = [{ id: 'dos', label: 'Dos', score: 30, max: 45, reason: 'You said “I understand”.' }];
      const call = {
        ...{ userId: 'user', caseId: 'case', personaId: 'persona', durationSeconds: 61, createdAt: scoredAt },
        ...{ score: { total: 70, criteria }, scoredAt },
      };
      calls.set(ids.callId, { ids, call, isInOutbox: true });
    },
    delete: ({ callId }: CallIds) => void calls.delete(callId),
  };
}
