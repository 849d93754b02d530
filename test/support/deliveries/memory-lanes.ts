import { randomUUID } from 'node:crypto';
import type { Lane, LaneKey } from '../../../shared/deliveries/lane.ts';
import type {
  BusyEndpoint,
  BusyEndpointRepository,
  LaneRepository,
  LeadDeliveriesEraser,
} from '../../../shared/deliveries/ports.ts';

const isoAt = (ms: number): string => new Date(ms).toISOString();
const nameOf = ({ funnelId, leadId, endpointId }: LaneKey): string => `${funnelId}/${leadId}/${endpointId}`;
const keyOf = ({ funnelId, leadId, endpointId }: LaneKey): LaneKey => ({ funnelId, leadId, endpointId });

/** The deliveries table, in memory. @param lagMs how long the index of lanes does not list a lane after a write */
export function createMemoryLanes(clock: { now(): number } = { now: () => 0 }, lagMs: () => number = () => 0) {
  const stored = new Map<string, Lane>();
  const writtenAtMs = new Map<string, number>();
  const store = (lane: Lane) => {
    stored.set(nameOf(lane), lane);
    writtenAtMs.set(nameOf(lane), clock.now());
  };
  const endpoints = new Map<string, BusyEndpoint>();
  const isSeen = (seen: Lane) => {
    const lane = stored.get(nameOf(seen));
    return lane !== undefined && lane.version === seen.version && lane.targetSeq === seen.targetSeq;
  };
  const withWork = (endpointId: string) =>
    [...stored.values()]
      .filter((lane) => lane.endpointId === endpointId && lane.nextAt !== undefined)
      .filter((lane) => (writtenAtMs.get(nameOf(lane)) ?? 0) + lagMs() <= clock.now())
      .sort((one, other) => ((one.nextAt ?? '') < (other.nextAt ?? '') ? -1 : 1));
  const lanes: LaneRepository = {
    raise: async (key, { orgId, seq, atMs }) => {
      const lane = stored.get(nameOf(key)) ?? {
        ...keyOf(key),
        ...{ orgId, version: undefined, targetSeq: 0, acknowledgedSeq: 0, acknowledgedVerifiedSeq: 0 },
        ...{ inFlight: undefined, nextAt: undefined },
      };
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
    remove: async (seen) => {
      if (isSeen(seen)) stored.delete(nameOf(seen));
    },
    listDue: async function* (endpointId, nowMs) {
      yield* withWork(endpointId)
        .filter(({ nextAt = '' }) => nextAt <= isoAt(nowMs))
        .map(keyOf);
    },
    findNextAt: async (endpointId) => withWork(endpointId)[0]?.nextAt,
  };
  const busy: BusyEndpointRepository = {
    wake: async (endpointId, atMs) => {
      const wakeups = (endpoints.get(endpointId)?.wakeups ?? 0) + 1;
      endpoints.set(endpointId, { endpointId, wakeups, isSettling: false, dueAt: isoAt(atMs) });
    },
    listDue: async (nowMs, limit) =>
      [...endpoints.values()]
        .flatMap(({ endpointId, dueAt }) => (dueAt !== undefined && dueAt <= isoAt(nowMs) ? { endpointId, dueAt } : []))
        .sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1))
        .slice(0, limit),
    find: async (endpointId) => structuredClone(endpoints.get(endpointId)),
    rest: async ({ endpointId, wakeups, isSettling }, next) => {
      const endpoint = endpoints.get(endpointId);
      if (endpoint?.wakeups !== wakeups || endpoint.isSettling !== isSettling) return false;
      endpoints.set(endpointId, { ...endpoint, ...next });
      return true;
    },
  };
  const eraser: LeadDeliveriesEraser = {
    erase: async ({ funnelId, leadId }) => {
      for (const lane of stored.values())
        if (lane.funnelId === funnelId && lane.leadId === leadId)
          store({ ...lane, inFlight: undefined, version: randomUUID() });
    },
  };
  return { lanes, busy, eraser, stored, endpoints };
}
