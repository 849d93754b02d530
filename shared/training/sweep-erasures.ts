import type { Logger } from '../platform/logger.ts';
import type { CallIds } from './call.ts';
import { deleteCallObjects, type EraseCallPorts, eraseCall } from './erase-call.ts';

export type ErasureSweepPorts = EraseCallPorts & { log: Logger };

/** What came of an erasure that was due: ended, gone on with, left until the call has ended, or tried again later. */
export type ErasureSweepOutcome = 'settled' | 'erased' | 'under_way' | 'failed';

const PER_ROUND = 160;
const AGAIN_MS = 3_600_000;

/**
 * Ends erasures of calls that were begun: those that broke off are gone on with, those that are done are looked after
 * once more and forgotten.
 *
 * @param endMs begins none after this
 * @returns how often each thing happened
 */
export async function sweepErasures(
  ports: ErasureSweepPorts,
  endMs: number,
): Promise<Map<ErasureSweepOutcome, number>> {
  const counts = new Map<ErasureSweepOutcome, number>();
  for (;;) {
    const due = await ports.erasures.findDue(ports.clock.now(), PER_ROUND);
    let advanced = false;
    for (const ids of due) {
      if (ports.clock.now() >= endMs) return counts;
      const settled = await sweepOne(ports, ids);
      if (settled === undefined) continue;
      advanced ||= settled !== 'failed';
      counts.set(settled, (counts.get(settled) ?? 0) + 1);
    }
    if (!advanced) return counts;
  }
}

/** Undefined when it is not due: an index shows for a moment what was. Else it is due later, or gone. */
async function sweepOne(ports: ErasureSweepPorts, ids: CallIds): Promise<ErasureSweepOutcome | undefined> {
  const { erasures, clock, log } = ports;
  try {
    const erasure = await erasures.find(ids);
    if (erasure === undefined || erasure.dueAtMs > clock.now()) return undefined;
    // Behind the others, so that one that fails holds none of them up.
    await erasures.put({ ...erasure, dueAtMs: clock.now() + AGAIN_MS });
    if (erasure.cleared && (await erasures.findCall(ids)) === undefined) {
      await deleteCallObjects(ports.objects, ids);
      await erasures.delete(ids);
      return 'settled';
    }
    const { outcome } = await eraseCall(ports, ids);
    return outcome === 'under_way' ? 'under_way' : 'erased';
  } catch (cause) {
    log.error('an erasure of a call could not be ended; it is tried again', cause, { callId: ids.callId });
    return 'failed';
  }
}
