import { enforceOrganizationRetention } from './enforce-organization-retention.ts';
import type { RetentionOutcome, RetentionRunPorts } from './ports.ts';

/**
 * A run starts no erasure after this time, so that the last erasures end before the function's timeout of 15 minutes.
 */
const RUN_MS_MAX = 13 * 60_000;
/**
 * Maximum time for one organization before the next organization is processed. Without this limit, a large organization
 * could delay the other organizations for days.
 */
const ORGANIZATION_MS_MAX = 60_000;
/** Maximum time to complete interrupted erasures of calls, so that the run has time left for retention periods. */
const SETTLING_MS_MAX = 3 * 60_000;

/**
 * First completes interrupted erasures of calls. Then erases, in each organization, the data whose retention period has
 * ended, until all organizations are processed or the time is over. Crashes and concurrent runs are harmless, because
 * each run searches for due data again.
 *
 * @returns the number of items by outcome
 */
export async function enforceRetention(ports: RetentionRunPorts): Promise<Map<RetentionOutcome, number>> {
  const counts = new Map<RetentionOutcome, number>();
  const add = (what: RetentionOutcome, times = 1) => void counts.set(what, (counts.get(what) ?? 0) + times);
  const startMs = ports.clock.now();
  const endMs = startMs + RUN_MS_MAX;
  for (const [settled, times] of await ports.settleErasures(startMs + SETTLING_MS_MAX)) {
    add(`erasures_${settled}`, times);
  }
  let waiting = rotateRandomly(await ports.organizations.listIds(), ports.random());
  while (waiting.length > 0 && ports.clock.now() < endMs) {
    const left: string[] = [];
    for (const orgId of waiting) {
      if (await enforceUntilTimeout(ports, orgId, endMs, add)) left.push(orgId);
    }
    waiting = left;
  }
  if (waiting.length > 0) add('organizations_unfinished', waiting.length);
  return counts;
}

/**
 * Processes one organization. A failure does not affect the other organizations.
 *
 * @returns true if the time is over; some due data may then not be erased yet
 */
async function enforceUntilTimeout(
  ports: RetentionRunPorts,
  orgId: string,
  runEndMs: number,
  count: (what: RetentionOutcome) => void,
): Promise<boolean> {
  const nowMs = ports.clock.now();
  if (nowMs >= runEndMs) return true;
  try {
    return await enforceOrganizationRetention(ports, {
      orgId,
      count,
      endMs: Math.min(runEndMs, nowMs + ORGANIZATION_MS_MAX),
    });
  } catch (cause) {
    ports.log.error('The retention run failed for an organization. The next run retries.', cause, { orgId });
    count('organizations_failed');
    return false;
  }
}

/** Rotates the list to a random start, so that runs that end early don't always miss the same organizations. */
function rotateRandomly<T>(all: readonly T[], random: number): T[] {
  const start = Math.floor(random * all.length);
  return [...all.slice(start), ...all.slice(0, start)];
}
