import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import { ATTEMPT_MS_MAX } from '../webhooks/attempt.ts';
import { dispatchChanges } from './dispatch-changes.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import type { DispatcherOutcome, DispatchPorts, DispatchRun } from './ports.ts';
import { createRaisedLanes } from './raised-lanes.ts';
import { reportUnserved, serveEndpoint } from './serve-endpoint.ts';

/** After this time, a run starts no work, so that the last attempts end before the timeout of the function. */
const RUN_MS_MAX = 60_000;
/**
 * Time slice of an endpoint, after which other endpoints are served first. It is longer than an attempt, so that an
 * endpoint that does not respond is recognized within its slice.
 */
const ENDPOINT_MS_MAX = 15_000;
/** Maximum number of new endpoints that are served concurrently. See `NEW_MS`. */
const NEW_ENDPOINTS_MAX = 50;
/**
 * How long an endpoint is new after the start of its time slice. Afterwards, `NEW_ENDPOINTS_MAX` does not count it, so
 * that endpoints that hang do not delay other endpoints.
 */
const NEW_MS = 1_000;
/**
 * Lambda allows 1,024 open files. 80 endpoints need up to 800: each has up to five attempts in flight, and each attempt
 * has up to two sockets.
 */
const CONCURRENT_ENDPOINTS_MAX = 80;
/**
 * Maximum number of due endpoints that are listed. A query reads at most 100 from each of the 8 shards of the index. If
 * all due endpoints are in one shard, 100 are still more than `CONCURRENT_ENDPOINTS_MAX`.
 */
const ENDPOINTS_LISTED = 800;
/** Time slice for dispatching changes, after which endpoints are served. */
const DISPATCH_CHANGES_MS_MAX = 5_000;
/** A run waits at most this long before its next round, so that slow receivers do not delay new changes. */
const POLL_MS = 1_000;

/**
 * Dispatches due changes, and delivers due lanes, until the work that was due at the start is done or the time is over.
 * While endpoints are being served, lists due work again every second. If the process dies, the next run continues after
 * the last write. An endpoint that does not respond does not delay the others.
 *
 * @param end no work starts after this time
 * @returns how often each outcome occurred
 * @throws UnavailableError when the due work cannot be read
 */
export async function dispatchMessages(
  ports: DispatchPorts,
  end: { endMs?: number | undefined } = {},
): Promise<Map<DispatcherOutcome, number>> {
  const { clock } = ports;
  const lateMs: number[] = [];
  const recordDelay = (dueAt?: string) => void (dueAt !== undefined && lateMs.push(clock.now() - Date.parse(dueAt)));
  const counts = new Map<DispatcherOutcome, number>();
  const count: DispatchRun['count'] = (what) => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const dispatchRun: DispatchRun = {
    ...ports,
    count,
    recordDelay,
    raised: createRaisedLanes(),
    failedSubjects: new Set(),
  };
  const endMs = Math.min(clock.now() + RUN_MS_MAX, end.endMs ?? Number.POSITIVE_INFINITY);
  await dispatchAndServe(dispatchRun, { endMs, failingEndMs: endMs - ATTEMPT_MS_MAX }, async () => {
    dispatchRun.recordDelay(await dispatchChanges(dispatchRun, Math.min(endMs, clock.now() + DISPATCH_CHANGES_MS_MAX)));
    const due = await ports.endpointStates.listDue(clock.now(), ENDPOINTS_LISTED);
    dispatchRun.recordDelay(due[0]?.dueAt);
    return due.map(({ endpointId }) => endpointId);
  });
  const lateSeconds = Math.round(Math.max(0, ...lateMs) / 1_000);
  // Recorded even if nothing was due, because an alarm fires if the metric is missing.
  ports.log.recordMetric('Deliveries_oldestDueSeconds', lateSeconds, 'Seconds');
  return counts;
}

/**
 * No work starts after `endMs`. If the last attempt to an endpoint failed, no work for it starts after `failingEndMs`.
 */
type RunEnd = { endMs: number; failingEndMs: number };

/**
 * Works in rounds. A round dispatches changes. Then it starts to serve the endpoints that are due or have raised lanes.
 * Endpoints are served concurrently. A round ends when no endpoint is being served, or after `POLL_MS`. If a limit
 * prevents that an endpoint is served, the round ends as soon as another endpoint has been served.
 *
 * A round is the last one in three cases: it starts to serve no endpoint, and no earlier round left one that is being
 * served; it began while no endpoint was being served, and served all its endpoints within `POLL_MS`; it ends after
 * `endMs`. The next run finds work that becomes due later. At the end, waits for the endpoints that are still being
 * served.
 */
async function dispatchAndServe(
  dispatchRun: DispatchRun,
  end: RunEnd,
  dispatchChangesAndListDue: () => Promise<string[]>,
): Promise<void> {
  const { clock, raised, sleep } = dispatchRun;
  const serving = new Map<string, { startedMs: number; ended: Promise<void> }>();
  const leftToNextRun = new Set<string>();
  const serve = async (endpointId: string) => {
    if (!(await serveInSlice(dispatchRun, endpointId, end))) leftToNextRun.add(endpointId);
    serving.delete(endpointId);
  };
  const canStart = () => {
    const started = [...serving.values()].filter(({ startedMs }) => clock.now() - startedMs < NEW_MS);
    return started.length < NEW_ENDPOINTS_MAX && serving.size < CONCURRENT_ENDPOINTS_MAX;
  };
  /**
   * Starts to serve endpoints, except those that are being served or left to the next run. Returns true if a limit
   * stopped it.
   */
  const startUpToLimit = (endpointIds: ReadonlySet<string>): boolean => {
    for (const endpointId of endpointIds) {
      if (!canStart()) return true;
      if (serving.has(endpointId) || leftToNextRun.has(endpointId)) continue;
      serving.set(endpointId, { startedMs: clock.now(), ended: serve(endpointId) });
    }
    return false;
  };
  const servingPromises = () => [...serving.values()].map(({ ended }) => ended);
  try {
    while (clock.now() < end.endMs) {
      const [beganMs, wasServing] = [clock.now(), serving.size > 0];
      const endpointIds = new Set([...(await dispatchChangesAndListDue()), ...raised.endpointIds()]);
      const isStoppedByLimit = startUpToLimit(endpointIds);
      if (serving.size === 0) break;
      await Promise.race([
        isStoppedByLimit ? Promise.race(servingPromises()) : Promise.all(servingPromises()),
        sleep(POLL_MS),
      ]);
      const isAllServed = !isStoppedByLimit && serving.size === 0 && raised.endpointIds().length === 0;
      // An endpoint from an earlier round may have due lanes left after its time slice.
      if (isAllServed && !wasServing && clock.now() < beganMs + POLL_MS) break;
    }
  } finally {
    await Promise.all(servingPromises());
  }
}

/**
 * Serves an endpoint for its time slice. Returns false if a later run must serve the endpoint: an unexpected failure
 * occurred, or too little time is left. If the last attempt to the endpoint failed, the next attempt may time out, so
 * there must be time for a full attempt. Logs and counts unexpected failures.
 */
async function serveInSlice(
  dispatchRun: DispatchRun,
  endpointId: string,
  { endMs, failingEndMs }: RunEnd,
): Promise<boolean> {
  const { clock, readSecret } = dispatchRun;
  const sliceEndMs = Math.min(endMs, clock.now() + ENDPOINT_MS_MAX);
  const hasTimeFor = ({ failing }: EndpointHealth) =>
    clock.now() < (failing === undefined ? sliceEndMs : Math.min(sliceEndMs, failingEndMs));
  try {
    const masterSecret = await readSecretOrUnavailable(readSecret);
    return await serveEndpoint(dispatchRun, endpointId, { masterSecret, hasTimeFor });
  } catch (cause) {
    reportUnserved(dispatchRun, endpointId, cause);
    return false;
  }
}
