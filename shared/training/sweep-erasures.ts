import type { Logger } from '../platform/logger.ts';
import type { CallIds } from './call.ts';
import { deleteCallObjects, type EraseCallPorts, eraseCall } from './erase-call.ts';

export type ErasureSweepPorts = EraseCallPorts & { log: Logger };

/**
 * `erased`: the call is erased, but functions may have stored objects of the call during the erasure. The erasure
 * record stays. `settled`: a later sweep has erased these objects and deleted the record. `in_progress`: the call has
 * not ended or is being analysed.
 */
export type ErasureSweepOutcome = 'settled' | 'erased' | 'in_progress' | 'failed';

const BATCH_SIZE = 160;
const RETRY_DELAY_MS = 3_600_000;

/**
 * Continues interrupted erasures of calls. After an erasure, erases objects that other functions wrote meanwhile.
 *
 * @param endMs no erasure is started after this time
 * @returns the number of erasures per outcome
 */
export async function sweepErasures(
  ports: ErasureSweepPorts,
  endMs: number,
): Promise<Map<ErasureSweepOutcome, number>> {
  const counts = new Map<ErasureSweepOutcome, number>();
  for (;;) {
    const due = await ports.erasures.findDue(ports.clock.now(), BATCH_SIZE);
    let hasProgress = false;
    for (const ids of due) {
      if (ports.clock.now() >= endMs) return counts;
      const outcome = await sweepErasure(ports, ids);
      if (outcome === undefined) continue;
      hasProgress ||= outcome !== 'failed';
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
    if (!hasProgress) return counts;
  }
}

/** Returns undefined when the erasure is not due any more. The index is eventually consistent and may still list it. */
async function sweepErasure(ports: ErasureSweepPorts, ids: CallIds): Promise<ErasureSweepOutcome | undefined> {
  const { erasures, clock, log } = ports;
  try {
    const erasure = await erasures.find(ids);
    if (erasure === undefined || erasure.dueAtMs > clock.now()) return undefined;
    // Reschedule the erasure before the work on it, so that an erasure that fails does not delay the others.
    await erasures.put({ ...erasure, dueAtMs: clock.now() + RETRY_DELAY_MS });
    if (erasure.cleared && (await erasures.findCall(ids)) === undefined) {
      await deleteCallObjects(ports.objects, ids);
      await erasures.delete(ids);
      return 'settled';
    }
    const { outcome } = await eraseCall(ports, ids);
    return outcome === 'in_progress' ? 'in_progress' : 'erased';
  } catch (cause) {
    log.error('The erasure of a call failed. The next run retries it.', cause, { callId: ids.callId });
    return 'failed';
  }
}
