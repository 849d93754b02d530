import { randomUUID } from 'node:crypto';
import { subjectPartition } from '../../../shared/deliveries/aws/deliveries-table.ts';
import { type Lane, type LaneKey, PARKED_AT } from '../../../shared/deliveries/lane.ts';
import type {
  DeliveriesEraser,
  EndpointState,
  EndpointStateRepository,
  LaneRepository,
} from '../../../shared/deliveries/ports.ts';
import type { Subject } from '../../../shared/deliveries/subject.ts';
import type { LeadKey } from '../../../shared/leads/lead.ts';

const isoAt = (ms: number): string => new Date(ms).toISOString();
const nameOf = ({ subject, endpointId }: LaneKey): string => `${subjectPartition(subject)}/${endpointId}`;
const keyOf = ({ subject, endpointId }: LaneKey): LaneKey => ({ subject, endpointId });

/**
 * The deliveries table, in memory.
 *
 * @param lagMs how long the indexes omit an item after a write
 */
export function createMemoryLanes(clock: { now(): number } = { now: () => 0 }, lagMs: () => number = () => 0) {
  const stored = new Map<string, Lane>();
  const writtenAtMs = new Map<string, number>();
  const store = (lane: Lane) => {
    stored.set(nameOf(lane), lane);
    writtenAtMs.set(nameOf(lane), clock.now());
  };
  const endpoints = new Map<string, EndpointState>();
  const isSeen = (seen: Lane) => {
    const lane = stored.get(nameOf(seen));
    return (
      lane !== undefined &&
      lane.version === seen.version &&
      lane.targetSeq === seen.targetSeq &&
      lane.redeliveries.length === seen.redeliveries.length
    );
  };
  const withWork = (endpointId: string) =>
    [...stored.values()]
      .filter((lane) => lane.endpointId === endpointId && lane.nextAt !== undefined)
      .filter((lane) => (writtenAtMs.get(nameOf(lane)) ?? 0) + lagMs() <= clock.now())
      .sort((one, other) => ((one.nextAt ?? '') < (other.nextAt ?? '') ? -1 : 1));
  const laneOf = (key: LaneKey, orgId: string): Lane =>
    stored.get(nameOf(key)) ?? {
      ...keyOf(key),
      orgId,
      version: undefined,
      targetSeq: 0,
      acknowledgedSeq: 0,
      acknowledgedVerifiedSeq: 0,
      inFlight: undefined,
      redeliveries: [],
      redeliveryId: undefined,
      nextAt: undefined,
    };
  const lanes: LaneRepository = {
    raise: async (key, { orgId, seq, atMs }) => {
      const lane = laneOf(key, orgId);
      if (lane.targetSeq >= seq) return;
      store({ ...lane, targetSeq: seq, nextAt: lane.nextAt ?? isoAt(atMs) });
    },
    find: async (key) => structuredClone(stored.get(nameOf(key))),
    replace: async (seen, next) => {
      if (!isSeen(seen)) return undefined;
      const written = { ...structuredClone(next), version: randomUUID() };
      store(written);
      return structuredClone(written);
    },
    postpone: async (key, untilMs) => {
      const lane = stored.get(nameOf(key));
      if (lane?.nextAt !== undefined) store({ ...lane, nextAt: isoAt(untilMs) });
    },
    remove: async (seen) => {
      if (isSeen(seen)) stored.delete(nameOf(seen));
    },
    redeliver: async (key, { orgId, type, seq, redeliveryId, atMs }) => {
      const lane = laneOf(key, orgId);
      if (lane.redeliveries.includes(type)) return;
      const requested = { redeliveries: [...lane.redeliveries, type], redeliveryId };
      store({ ...lane, ...requested, targetSeq: lane.targetSeq || seq, nextAt: lane.nextAt ?? isoAt(atMs) });
    },
    listDue: async function* (endpointId, nowMs, { withParked }) {
      yield* withWork(endpointId)
        .filter(({ nextAt = '' }) => nextAt <= isoAt(nowMs) && (withParked || nextAt > PARKED_AT))
        .map(keyOf);
    },
    findNextAt: async (endpointId) => withWork(endpointId).find(({ nextAt = '' }) => nextAt > PARKED_AT)?.nextAt,
  };
  const setDue = (endpointId: string, endpoint: EndpointState) => {
    if (endpoints.get(endpointId)?.dueAt !== endpoint.dueAt) writtenAtMs.set(endpointId, clock.now());
    endpoints.set(endpointId, endpoint);
  };
  const stateOf = (endpointId: string) =>
    endpoints.get(endpointId) ?? {
      endpointId,
      wakeups: 0,
      isSettling: false,
      dueAt: undefined,
      isPaused: false,
      failing: undefined,
      redelivery: undefined,
    };
  const endpointStates: EndpointStateRepository = {
    wake: async (endpointId, atMs) => {
      const seen = stateOf(endpointId);
      const isPlanned = seen.dueAt !== undefined && (seen.dueAt <= isoAt(atMs) || seen.restsUntil !== undefined);
      const dueAt = isPlanned ? seen.dueAt : isoAt(atMs);
      setDue(endpointId, { ...seen, wakeups: seen.wakeups + 1, isSettling: false, dueAt });
    },
    listDue: async (nowMs, limit) =>
      [...endpoints.values()]
        .filter(({ endpointId }) => (writtenAtMs.get(endpointId) ?? 0) + lagMs() <= clock.now())
        .flatMap(({ endpointId, dueAt }) => (dueAt !== undefined && dueAt <= isoAt(nowMs) ? { endpointId, dueAt } : []))
        .sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1))
        .slice(0, limit),
    find: async (endpointId) => endpoints.get(endpointId),
    plan: async ({ endpointId, wakeups, isSettling }, next) => {
      const endpoint = endpoints.get(endpointId);
      if (endpoint?.wakeups !== wakeups || endpoint.isSettling !== isSettling) return false;
      const { isSettling: settles, dueAt, isPaused } = next;
      setDue(endpointId, { ...endpoint, isSettling: settles, dueAt, isPaused, restsUntil: undefined });
      return true;
    },
    rest: async (endpointId, untilMs) => {
      const endpoint = endpoints.get(endpointId);
      if (endpoint === undefined) return;
      setDue(endpointId, { ...endpoint, isSettling: false, dueAt: isoAt(untilMs), restsUntil: isoAt(untilMs) });
    },
    resume: async (endpointId, atMs) => {
      const seen = stateOf(endpointId);
      const reset = { isSettling: false, isPaused: false, restsUntil: undefined, failing: undefined };
      setDue(endpointId, { ...seen, ...reset, wakeups: seen.wakeups + 1, dueAt: isoAt(atMs) });
    },
    countFailedAttempt: async (endpointId, startedAt) => {
      const seen = stateOf(endpointId);
      const failing = {
        since: seen.failing?.since ?? startedAt,
        failedAttempts: (seen.failing?.failedAttempts ?? 0) + 1,
      };
      endpoints.set(endpointId, { ...seen, failing });
      return failing;
    },
    recordSuccess: async (endpointId) => void endpoints.set(endpointId, { ...stateOf(endpointId), failing: undefined }),
    startRedelivery: async (endpointId, redelivery) => {
      const seen = stateOf(endpointId);
      endpoints.set(endpointId, { ...seen, redelivery: seen.redelivery ?? redelivery });
      return seen.redelivery ?? redelivery;
    },
    advanceRedelivery: async (endpointId, { id, position: before }, position) => {
      const seen = stateOf(endpointId);
      if (seen.redelivery?.id !== id || seen.redelivery.position !== before) return false;
      const redelivery = position === undefined ? undefined : { ...seen.redelivery, position };
      endpoints.set(endpointId, { ...seen, redelivery });
      return true;
    },
  };
  const eraseMessages = async (subject: Subject) => {
    for (const lane of stored.values())
      if (subjectPartition(lane.subject) === subjectPartition(subject))
        store({ ...lane, inFlight: undefined, version: randomUUID() });
  };
  const eraser: DeliveriesEraser<LeadKey> = {
    erase: ({ funnelId, leadId }) => eraseMessages({ kind: 'lead', funnelId, leadId }),
  };
  return { lanes, endpointStates, eraseMessages, eraser, stored, endpoints };
}
