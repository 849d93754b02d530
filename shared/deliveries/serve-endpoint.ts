import { processEach } from '../platform/process-each.ts';
import { deliverLane, type EndpointRun } from './deliver-lane.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { type LaneKey, PARKED_AT, toIsoString } from './lane.ts';
import type { DispatchRun, EndpointState } from './ports.ts';
import { runRedelivery } from './run-redelivery.ts';

const CONCURRENT_LANES = 5;
/**
 * If this many lanes in a row get no response or have an unexpected error, the run serves no more lanes of the
 * endpoint, so that the endpoint does not occupy the dispatcher. The endpoint then rests.
 */
const FAILURES_MAX = 3;
const REST_MS = 60_000;
/**
 * How often the dispatcher checks whether a paused endpoint is still paused. Disabling or deleting an endpoint does not
 * make it due. A process that resumes an endpoint can die before it makes the endpoint due. In these cases, only this
 * check finds the change.
 */
const PAUSED_CHECK_MS = 3_600_000;
/**
 * Time until the second query for due lanes of a settling endpoint (`EndpointState` explains it). Longer than the
 * timeout of the dispatcher and the delay of the indexes.
 */
const SETTLE_MS = 120_000;
/** Time slice for a redelivery, after which lanes are served. */
const REDELIVERY_MS_MAX = 5_000;
/**
 * When all due lanes were served, the endpoint is due again after this time at the earliest. Without this delay, it
 * would be queried continuously while the index still lists lanes that are no longer due.
 */
const QUERY_INTERVAL_MS = 1_000;

/**
 * Delivers the due lanes of an endpoint, oldest first, until none is left, the time is over, or `FAILURES_MAX` lanes in
 * a row got no response or had an unexpected error. If no due lane is left, queries again two minutes later, because
 * the index of lanes is eventually consistent. If the second query finds no lane, and no lane is due later, the
 * endpoint leaves the index `due` (`EndpointState` has the states). If the endpoint is paused, parks its due lanes, and
 * checks every hour whether it is still paused.
 *
 * @returns false, and serves nothing, if `hasTimeFor` returns false at the start
 * @throws UnavailableError
 */
export async function serveEndpoint(
  dispatchRun: DispatchRun,
  endpointId: string,
  { masterSecret, hasTimeFor }: { masterSecret: string; hasTimeFor(health: EndpointHealth): boolean },
): Promise<boolean> {
  const { endpointStates, clock } = dispatchRun;
  const raised = dispatchRun.raised.take(endpointId);
  const seen = await endpointStates.find(endpointId);
  if (seen?.dueAt === undefined) return true;
  const isResting = seen.restsUntil !== undefined && clock.now() < Date.parse(seen.restsUntil);
  // Unless the endpoint rests, raised lanes are served even before `dueAt`, because `dueAt` may have been computed
  // before the index listed them.
  const hasRaisedLanes = raised.length > 0 && !isResting;
  if (Date.parse(seen.dueAt) > clock.now() && !hasRaisedLanes) return true;
  const health: EndpointHealth = { failing: seen.failing, isPaused: seen.isPaused, pausing: undefined };
  const endpointRun = { masterSecret, health, hasTime: () => hasTimeFor(health) };
  if (!endpointRun.hasTime()) return false;
  await deliverDueLanes(dispatchRun, seen, raised, endpointRun);
  return true;
}

async function deliverDueLanes(
  dispatchRun: DispatchRun,
  seen: EndpointState,
  raised: readonly LaneKey[],
  endpointRun: EndpointRun,
): Promise<void> {
  const { endpointStates, lanes, clock } = dispatchRun;
  const { endpointId } = seen;
  const isSecondQuery = seen.isSettling && (await endSettling(dispatchRun, seen));
  // The state that `endSettling` has stored. If the endpoint was woken meanwhile, `plan` below does nothing.
  const settled = { ...seen, isSettling: false };
  const redeliveryEndMs = clock.now() + REDELIVERY_MS_MAX;
  const isRedelivered = await runRedelivery(
    dispatchRun,
    seen,
    () => endpointRun.hasTime() && clock.now() < redeliveryEndMs,
  );
  const served = { lanes: 0, hasErrors: false, times: [] as (string | undefined)[] };
  const parked = seen.isPaused ? await findParked(dispatchRun, endpointId) : undefined;
  // `deliverLane` reads the endpoint, and records in `endpointRun.health` whether the endpoint is still paused. If so,
  // `deliverLane` sends nothing. Otherwise, it sends the messages of the lane.
  if (parked !== undefined) await deliverLane(dispatchRun, parked, endpointRun);
  const due = withRaised(lanes.listDue(endpointId, clock.now(), { withParked: !endpointRun.health.isPaused }), raised);
  const limits = { concurrency: CONCURRENT_LANES, hasTime: endpointRun.hasTime, failuresMax: FAILURES_MAX };
  const ended = await processEach(due, limits, async (key) => {
    served.lanes++;
    try {
      const { nextAt, isUnresponsive } = await deliverLane(dispatchRun, key, endpointRun);
      served.times.push(nextAt);
      return !isUnresponsive;
    } catch (cause) {
      served.hasErrors = true;
      reportError(dispatchRun, key, cause);
      // Without the delay, lanes that always fail would be served first each time. If this write fails, too, the lane
      // stays due.
      await lanes.postpone(key, clock.now() + REST_MS).catch(() => undefined);
      return false;
    }
  });
  const isStopped = ended === 'out_of_time' || !isRedelivered;
  // After an error, or too many failures in a row, the endpoint rests. The rest is stored before `findNextAt` is
  // called, because that call could fail.
  if (!isStopped && (ended === 'too_many_failures' || served.hasErrors))
    return endpointStates.rest(endpointId, clock.now() + REST_MS);
  const nextLaneAt = await lanes.findNextAt(endpointId);
  if (ended === 'out_of_time') dispatchRun.recordDelay(nextLaneAt);
  const { isPaused } = endpointRun.health;
  const next = planNext(clock.now(), {
    isStopped,
    laneTimesMs: [...served.times, nextLaneAt].flatMap((time) => time ?? []).map(Date.parse),
    isSecondEmptyQuery: isSecondQuery && served.lanes === 0,
    hasParkedLanes: isPaused && parked !== undefined,
  });
  const dueAt = next.state === 'idle' ? undefined : toIsoString(next.dueAtMs);
  // Does nothing if the endpoint was woken since `seen` was read. The endpoint is then due.
  await endpointStates.plan(settled, { isSettling: next.state === 'settling', dueAt, isPaused });
}

type ServingResult = {
  /** Whether due lanes, or a part of a redelivery, are left. */
  isStopped: boolean;
  /** When lanes of the endpoint are due next, except parked lanes. */
  laneTimesMs: number[];
  isSecondEmptyQuery: boolean;
  hasParkedLanes: boolean;
};

type NextState = { state: 'waiting' | 'settling' | 'paused'; dueAtMs: number } | { state: 'idle' };

/** Returns the next state of an endpoint that does not have to rest (`EndpointState` has the states). */
function planNext(nowMs: number, result: ServingResult): NextState {
  if (result.isStopped) return { state: 'waiting', dueAtMs: nowMs };
  const firstMs = Math.max(Math.min(...result.laneTimesMs), nowMs + QUERY_INTERVAL_MS);
  // If a lane is due before the time of the second query, the endpoint is queried when the lane is due, and settles
  // later.
  const isWaiting = result.laneTimesMs.length > 0 && (result.isSecondEmptyQuery || firstMs < nowMs + SETTLE_MS);
  if (isWaiting) return { state: 'waiting', dueAtMs: firstMs };
  if (!result.isSecondEmptyQuery) return { state: 'settling', dueAtMs: nowMs + SETTLE_MS };
  return result.hasParkedLanes ? { state: 'paused', dueAtMs: nowMs + PAUSED_CHECK_MS } : { state: 'idle' };
}

/**
 * Called before the second query. Stores that the endpoint is no longer settling, and does not change `dueAt`. After a
 * crash, the next run therefore serves the endpoint, and treats its query as a first query. Returns false and writes
 * nothing if the endpoint was woken.
 */
const endSettling = ({ endpointStates }: DispatchRun, seen: EndpointState): Promise<boolean> =>
  endpointStates.plan(seen, { ...seen, isSettling: false });

/** Returns a parked lane of the endpoint, or undefined. */
async function findParked({ lanes }: DispatchRun, endpointId: string): Promise<LaneKey | undefined> {
  for await (const key of lanes.listDue(endpointId, Date.parse(PARKED_AT), { withParked: true })) return key;
  return undefined;
}

export function reportUnserved({ log, count }: DispatchRun, endpointId: string, cause: unknown): void {
  log.error('A webhook endpoint could not be served. A later run retries.', cause, { endpointId });
  count('error');
}

/** Returns the lanes that the index lists, and then the raised lanes that it does not list yet. */
async function* withRaised(listed: AsyncIterable<LaneKey>, raised: readonly LaneKey[]): AsyncIterable<LaneKey> {
  const missing = new Map(raised.map((key) => [JSON.stringify(key.subject), key]));
  for await (const key of listed) {
    missing.delete(JSON.stringify(key.subject));
    yield key;
  }
  yield* missing.values();
}

function reportError({ log, count }: DispatchRun, { subject, endpointId }: LaneKey, cause: unknown): void {
  log.error('A message could not be sent, or its outcome could not be stored. A later run retries.', cause, {
    ...subject,
    endpointId,
  });
  count('error');
}
