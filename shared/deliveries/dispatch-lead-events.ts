import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import { fanOut } from './fan-out.ts';
import type { Dispatch, DispatchOutcome, DispatchPorts } from './ports.ts';
import { serveEndpoint } from './serve-endpoint.ts';

/** No work starts after this time, so that running attempts end before the timeout of the function. */
const RUN_MS_MAX = 40_000;
/**
 * Time slice of an endpoint, after which the next endpoint gets its place. It is longer than an attempt, so that an
 * endpoint that does not respond is recognized within its slice.
 */
const ENDPOINT_MS_MAX = 15_000;
const CONCURRENT_ENDPOINTS = 50;
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
  const dispatch = { ...ports, count: (what: DispatchOutcome) => void counts.set(what, (counts.get(what) ?? 0) + 1) };
  const endMs = clock.now() + RUN_MS_MAX;
  const serving = new Map<string, Promise<void>>();
  const failed = new Set<string>();
  const serve = async (endpointId: string) => {
    if (!(await serveInSlice(dispatch, endpointId, endMs))) failed.add(endpointId);
    serving.delete(endpointId);
  };
  let isFirst = true;
  try {
    for (; clock.now() < endMs; isFirst = false) {
      const oldestChange = await fanOut(dispatch, Math.min(endMs, clock.now() + FAN_OUT_MS_MAX));
      const due = await ports.busy.listDue(clock.now(), ENDPOINTS_LISTED);
      if (isFirst) recordOldest(ports, oldestChange, due[0]?.dueAt);
      for (const { endpointId } of due) {
        if (serving.size >= CONCURRENT_ENDPOINTS) break;
        if (!serving.has(endpointId) && !failed.has(endpointId)) serving.set(endpointId, serve(endpointId));
      }
      if (serving.size === 0) break;
      await Promise.race([...serving.values(), ports.pause(POLL_MS)]);
    }
  } finally {
    await Promise.all(serving.values());
  }
  return counts;
}

/** Returns false after a failure, which is logged and counted. */
async function serveInSlice(dispatch: Dispatch, endpointId: string, endMs: number): Promise<boolean> {
  const { clock, log, count, readSecret } = dispatch;
  const sliceEndMs = Math.min(endMs, clock.now() + ENDPOINT_MS_MAX);
  try {
    const masterSecret = await readSecretOrUnavailable(readSecret);
    await serveEndpoint(dispatch, endpointId, { masterSecret, hasTime: () => clock.now() < sliceEndMs });
    return true;
  } catch (cause) {
    log.error('A webhook endpoint could not be served. A later run retries.', cause, { endpointId });
    count('error');
    return false;
  }
}

/** Records how late the dispatcher is. */
function recordOldest({ clock, log }: DispatchPorts, ...dueTimes: (string | undefined)[]): void {
  const [oldest] = dueTimes.filter((time) => time !== undefined).sort();
  if (oldest !== undefined)
    log.recordMetric('Deliveries_oldestDueSeconds', Math.round((clock.now() - Date.parse(oldest)) / 1_000), 'Seconds');
}
