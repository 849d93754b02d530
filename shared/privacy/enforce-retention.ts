import { enforceOrganizationRetention } from './enforce-organization-retention.ts';
import type { RetentionOutcome, RetentionRunPorts } from './ports.ts';

/** No item is started after this time, so that the started items end before the function's timeout of 15 minutes. */
const RUN_MS_MAX = 13 * 60_000;
/**
 * Time for one organization before the next one is processed, so that a large one does not delay the others for days.
 */
const ORGANIZATION_MS_MAX = 60_000;
/** Time limit for completing call erasures that began earlier. No such erasure is started after it. */
const SETTLING_MS_MAX = 3 * 60_000;

/**
 * Erases data whose retention period has ended, in all organizations, until nothing is due or the time is over. Each
 * run finds the due data again, oldest first, so that a crash and concurrent runs are harmless.
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
 * @returns whether the time ended before all due data of the organization was processed
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
    ports.log.error('The retention of an organization could not be enforced.', cause, { orgId });
    count('organizations_failed');
    return false;
  }
}

/** Rotates the list to a random start, so that runs that are too short don't always skip the same organizations. */
function rotateRandomly<T>(all: readonly T[], random: number): T[] {
  const start = Math.floor(random * all.length);
  return [...all.slice(start), ...all.slice(0, start)];
}
