import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import { ATTEMPT_MS_MAX } from '../webhooks/send-message.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { fanOut } from './fan-out.ts';
import type { Dispatch, DispatchOutcome, DispatchPorts } from './ports.ts';
import { serveEndpoint } from './serve-endpoint.ts';

/** No work starts after this time, which is the interval of scheduled runs, so that no time is without a run. */
const RUN_MS_MAX = 60_000;
/**
 * Time slice of an endpoint, after which the next endpoint gets its place. It is longer than an attempt, so that an
 * endpoint that does not respond is recognized within its slice.
 */
const ENDPOINT_MS_MAX = 15_000;
/** Number of endpoints whose slices began less than `PLACE_MS_MAX` ago. */
const PLACES = 50;
/** After this time, an endpoint leaves its place to another one, so that endpoints that hang do not occupy all places. */
const PLACE_MS_MAX = 1_000;
/** Each endpoint has five attempts in flight, and each attempt up to two sockets, of the 1,024 files that Lambda allows. */
const CONCURRENT_ENDPOINTS_MAX = 80;
/** The limit is divided equally among the shards of the index, so that even one shard can list enough endpoints. */
const ENDPOINTS_LISTED = 800;
/** Time slice for passing on changes, after which endpoints are served. */
const FAN_OUT_MS_MAX = 5_000;
/** While receivers respond slowly, new changes are passed on after this time. */
const POLL_MS = 1_000;

/**
 * Passes changed leads to the lanes of webhook endpoints, and delivers the lanes, until no work is due or the time is
 * over. A run can end after any write. The next run continues from there. An endpoint that does not respond does not
 * delay the others.
 *
 * @returns how often each outcome occurred
 * @throws UnavailableError when the due work cannot be read
 */
export async function dispatchLeadEvents(ports: DispatchPorts): Promise<Map<DispatchOutcome, number>> {
  const { clock } = ports;
  const counts = new Map<DispatchOutcome, number>();
  const lateMs: number[] = [];
  const dispatch: Dispatch = {
    ...ports,
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    recordDue: (dueAt) => void (dueAt !== undefined && lateMs.push(clock.now() - Date.parse(dueAt))),
  };
  const endMs = clock.now() + RUN_MS_MAX;
  const serving = new Map<string, { startedMs: number; ended: Promise<void> }>();
  const leftToNextRun = new Set<string>();
  const serve = async (endpointId: string) => {
    if (!(await serveInSlice(dispatch, endpointId, endMs))) leftToNextRun.add(endpointId);
    serving.delete(endpointId);
  };
  const isPlaceFree = () => {
    const places = [...serving.values()].filter(({ startedMs }) => clock.now() - startedMs < PLACE_MS_MAX);
    return places.length < PLACES && serving.size < CONCURRENT_ENDPOINTS_MAX;
  };
  const allEnded = () => [...serving.values()].map(({ ended }) => ended);
  try {
    while (clock.now() < endMs) {
      dispatch.recordDue(await fanOut(dispatch, Math.min(endMs, clock.now() + FAN_OUT_MS_MAX)));
      const due = await ports.busy.listDue(clock.now(), ENDPOINTS_LISTED);
      dispatch.recordDue(due[0]?.dueAt);
      for (const { endpointId } of due) {
        if (!isPlaceFree()) break;
        if (serving.has(endpointId) || leftToNextRun.has(endpointId)) continue;
        serving.set(endpointId, { startedMs: clock.now(), ended: serve(endpointId) });
      }
      if (serving.size === 0) break;
      await Promise.race([...allEnded(), ports.pause(POLL_MS)]);
    }
  } finally {
    await Promise.all(allEnded());
  }
  if (lateMs.length > 0) {
    const lateSeconds = Math.max(0, Math.round(Math.max(...lateMs) / 1_000));
    ports.log.recordMetric('Deliveries_oldestDueSeconds', lateSeconds, 'Seconds');
  }
  return counts;
}

/**
 * Returns false if a later run must serve the endpoint: after an unexpected failure, which is logged and counted, and if
 * the last attempt failed and the next one could outlast the run, so that other endpoints would wait for the next run.
 */
async function serveInSlice(dispatch: Dispatch, endpointId: string, endMs: number): Promise<boolean> {
  const { clock, log, count, readSecret } = dispatch;
  const sliceEndMs = Math.min(endMs, clock.now() + ENDPOINT_MS_MAX);
  const hasTime = ({ failing }: EndpointHealth) =>
    clock.now() < (failing === undefined ? sliceEndMs : Math.min(sliceEndMs, endMs - ATTEMPT_MS_MAX));
  try {
    const masterSecret = await readSecretOrUnavailable(readSecret);
    return await serveEndpoint(dispatch, endpointId, { masterSecret, hasTime });
  } catch (cause) {
    log.error('A webhook endpoint could not be served. A later run retries.', cause, { endpointId });
    count('error');
    return false;
  }
}
