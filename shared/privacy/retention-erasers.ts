import type { ErasableLead } from '../leads/ports.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { type EraseCallPorts, eraseCall } from '../training/erase-call.ts';
import { eraseRecording } from '../training/erase-recording.ts';
import type { CallRetentionRepository } from '../training/ports.ts';
import { sweepErasures } from '../training/sweep-erasures.ts';
import { type EraseLeadPorts, eraseLead } from './erase-lead.ts';
import type { RetentionRunPorts } from './ports.ts';

type CallParts = {
  calls: Omit<EraseCallPorts, 'clock'>;
  oldCalls: Pick<CallRetentionRepository, 'markRecordingErased'>;
  clock: Clock;
  log: Logger;
};

/** The eraser erases a lead only if the lead is still due, has expired or is already being erased. */
export const createLeadEraser =
  (leads: EraseLeadPorts): RetentionRunPorts['eraseLead'] =>
  async (lead, lastSubmitUntil) => {
    const isDue = ({ submittedAt, isExpired }: ErasableLead) =>
      isExpired || (lastSubmitUntil !== undefined && submittedAt <= lastSubmitUntil);
    return (await eraseLead(leads, lead, { isDue })).outcome;
  };

export function createCallErasers({
  oldCalls,
  clock,
  log,
  ...parts
}: CallParts): Pick<RetentionRunPorts, 'eraseCall' | 'eraseRecording' | 'settleErasures'> {
  const calls = { ...parts.calls, clock };
  return {
    eraseCall: async (ids) => (await eraseCall(calls, ids)).outcome,
    eraseRecording: (call) => eraseRecording({ ...calls, calls: oldCalls }, call),
    settleErasures: (endMs) => sweepErasures({ ...calls, log }, endMs),
  };
}
