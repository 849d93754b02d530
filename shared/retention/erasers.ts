import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { type EraseLeadPorts, eraseLead } from '../privacy/erase-lead.ts';
import { type ErasePorts, eraseCall } from '../training/erasure/erase-call.ts';
import { eraseRecording } from '../training/erasure/erase-recording.ts';
import type { OldCalls } from '../training/erasure/old-calls.ts';
import { settleErasures } from '../training/erasure/settle-erasures.ts';
import type { EnforcePorts } from './retention-ports.ts';

export type EraserParts = {
  leads: EraseLeadPorts;
  calls: Omit<ErasePorts, 'clock'>;
  oldCalls: Pick<OldCalls, 'withoutRecording'>;
  clock: Clock;
  log: Log;
};

/** How retention erases: as operators do, but only what is still due. */
export function erasersOf({
  leads,
  oldCalls,
  clock,
  log,
  ...parts
}: EraserParts): Pick<EnforcePorts, 'eraseLead' | 'eraseCall' | 'eraseRecording' | 'settleErasures'> {
  const calls = { ...parts.calls, clock };
  return {
    eraseLead: async (lead, lastSubmittedBy) => {
      const isDue = ({ submittedAt }: { submittedAt: string }) =>
        lastSubmittedBy !== undefined && submittedAt <= lastSubmittedBy;
      return (await eraseLead(leads, lead, { isDue })).outcome;
    },
    eraseCall: async (ids) => (await eraseCall(calls, ids)).outcome,
    eraseRecording: (call) => eraseRecording({ ...calls, calls: oldCalls }, call),
    settleErasures: (endMs) => settleErasures({ ...calls, log }, endMs),
  };
}
