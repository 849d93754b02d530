import type { SingleEventOutbox } from '../../../shared/deliveries/single-events.ts';
import type { DomainIds } from '../../../shared/domains/domain.ts';
import type { ActiveDomain } from '../../../shared/domains/ports.ts';
import type { CallIds } from '../../../shared/training/call.ts';
import type { ScoredCall } from '../../../shared/training/ports.ts';

const isoAt = (ms: number): string => new Date(ms).toISOString();

/** Creates an in-memory outbox of subjects that have only one event. It models what writes of calls and domains do. */
function createMemoryEvents<Ids, State>(idOf: (ids: Ids) => string, stateAt: (at: string) => State) {
  const stored = new Map<string, { ids: Ids; state: State; dueAt: string; isInOutbox: boolean }>();
  const outbox: SingleEventOutbox<Ids, State> = {
    listDue: async (nowMs, limit) => {
      const due = [...stored.values()].filter(({ dueAt, isInOutbox }) => isInOutbox && dueAt <= isoAt(nowMs));
      const page = due.slice(0, limit).map(({ ids, dueAt }) => ({ ...ids, dueAt }));
      return { due: page, isLast: due.length <= limit };
    },
    read: async (ids) => structuredClone(stored.get(idOf(ids))),
    clear: async (ids) => {
      const one = stored.get(idOf(ids));
      if (!one?.isInOutbox) return false;
      one.isInOutbox = false;
      return true;
    },
  };
  return {
    outbox,
    dueTimes: () => [...stored.values()].flatMap(({ dueAt, isInOutbox }) => (isInOutbox ? dueAt : [])),
    occur: (ids: Ids, nowMs: number) => {
      const at = isoAt(nowMs);
      stored.set(idOf(ids), { ids, state: stateAt(at), dueAt: at, isInOutbox: true });
    },
    delete: (ids: Ids) => void stored.delete(idOf(ids)),
  };
}

export const createMemoryCalls = () =>
  createMemoryEvents<CallIds, ScoredCall>(
    ({ callId }) => callId,
    (at) => ({
      userId: '0a5bd0c8-0d1c-4f6e-8f77-0b1d36c1b0a1',
      caseId: 'case',
      personaId: 'persona',
      durationSeconds: 61,
      createdAt: at,
      scoredAt: at,
      score: {
        total: 70,
        criteria: [{ id: 'dos', label: 'Dos', score: 30, max: 45, reason: 'You said “I understand”.' }],
      },
    }),
  );

export const createMemoryDomains = () =>
  createMemoryEvents<DomainIds, ActiveDomain>(
    ({ domainId }) => domainId,
    (at) => ({ hostname: 'offer.shop.example', pageIds: ['page'], createdAt: at, activatedAt: at }),
  );
