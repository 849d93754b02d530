import type { Log } from '../../platform/log.ts';
import type { CallIds } from '../call.ts';
import { type ErasePorts, eraseCall, removeObjects } from './erase-call.ts';

export type SettlePorts = ErasePorts & { log: Log };

/** What came of an erasure that was due: ended, gone on with, left until the call has ended, or tried again later. */
export type Settled = 'settled' | 'erased' | 'under_way' | 'failed';

const PER_ROUND = 160;
const AGAIN_MS = 3_600_000;

/**
 * Ends erasures of calls that were begun: those that broke off are gone on with, those that are done are looked after
 * once more and forgotten.
 *
 * @param endMs begins none after this
 * @returns how often each thing happened
 */
export async function settleErasures(ports: SettlePorts, endMs: number): Promise<Map<Settled, number>> {
  const counts = new Map<Settled, number>();
  for (;;) {
    const due = await ports.erasures.due(ports.clock.now(), PER_ROUND);
    let advanced = false;
    for (const ids of due) {
      if (ports.clock.now() >= endMs) return counts;
      const settled = await settleOne(ports, ids);
      if (settled === undefined) continue;
      advanced ||= settled !== 'failed';
      counts.set(settled, (counts.get(settled) ?? 0) + 1);
    }
    if (!advanced) return counts;
  }
}

/** Undefined when it is not due: an index shows for a moment what was. Else it is due later, or gone. */
async function settleOne(ports: SettlePorts, ids: CallIds): Promise<Settled | undefined> {
  const { erasures, clock, log } = ports;
  try {
    const erasure = await erasures.erasure(ids);
    if (erasure === undefined || erasure.dueAtMs > clock.now()) return undefined;
    // Behind the others, so that one that fails holds none of them up.
    await erasures.keep({ ...erasure, dueAtMs: clock.now() + AGAIN_MS });
    if (erasure.cleared && (await erasures.find(ids)) === undefined) {
      await removeObjects(ports.objects, ids);
      await erasures.end(ids);
      return 'settled';
    }
    const { outcome } = await eraseCall(ports, ids);
    return outcome === 'under_way' ? 'under_way' : 'erased';
  } catch (cause) {
    log.error('an erasure of a call could not be ended; it is tried again', cause, { callId: ids.callId });
    return 'failed';
  }
}
