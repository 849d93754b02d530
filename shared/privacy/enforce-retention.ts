import { enforceOrganizationRetention } from './enforce-organization-retention.ts';
import type { RetentionOutcome, RetentionRunPorts } from './ports.ts';

/** What has been begun by then ends before the function's 15 minutes are over. */
const RUN_MS_MAX = 13 * 60_000;
/** Of an organization before it is the next one's turn, so that a large one keeps none waiting for days. */
const TURN_MS_MAX = 60_000;
/** Of what earlier erasures left to do. */
const SETTLING_MS_MAX = 3 * 60_000;

/**
 * Erases of every organization what it has kept for longer than it wants to. Nothing is remembered from run to run: what
 * is due is what there still is, the oldest first, so that a run may die anywhere, and two may go on at once.
 *
 * @returns how often each thing happened; it ends when nothing is due or its time is over
 */
export async function enforceRetention(ports: RetentionRunPorts): Promise<Map<RetentionOutcome, number>> {
  const counts = new Map<RetentionOutcome, number>();
  const add = (what: RetentionOutcome, times = 1) => void counts.set(what, (counts.get(what) ?? 0) + times);
  const startMs = ports.clock.now();
  const endMs = startMs + RUN_MS_MAX;
  for (const [settled, times] of await ports.settleErasures(startMs + SETTLING_MS_MAX))
    add(`erasures_${settled}`, times);
  let waiting = fromAnywhere(await ports.organizations.listIds(), ports.random());
  while (waiting.length > 0 && ports.clock.now() < endMs) {
    const left: string[] = [];
    for (const orgId of waiting) {
      if (await isLeftAfterTurn(ports, orgId, endMs, add)) left.push(orgId);
    }
    waiting = left;
  }
  if (waiting.length > 0) add('organizations_unfinished', waiting.length);
  return counts;
}

/** One that fails keeps the others from nothing. */
async function isLeftAfterTurn(
  ports: RetentionRunPorts,
  orgId: string,
  runEndMs: number,
  count: (what: RetentionOutcome) => void,
): Promise<boolean> {
  const nowMs = ports.clock.now();
  if (nowMs >= runEndMs) return true;
  try {
    return await enforceOrganizationRetention(ports, { orgId, count, endMs: Math.min(runEndMs, nowMs + TURN_MS_MAX) });
  } catch (cause) {
    ports.log.error('the retention of an organization could not be enforced', cause, { orgId });
    count('organizations_failed');
    return false;
  }
}

/** The same, beginning anywhere: those at the end are not those that every run is too short for. */
function fromAnywhere<T>(all: readonly T[], chance: number): T[] {
  const at = Math.floor(chance * all.length);
  return [...all.slice(at), ...all.slice(0, at)];
}
