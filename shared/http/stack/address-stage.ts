import type { AddressGate } from '../address-gate.ts';
import type { Operation } from '../operation.ts';
import type { Stage } from './stage.ts';

/** 429 before the body is looked at, so that no bad body slips past a limit. */
export function addressStage(declared: Operation, gate: AddressGate): Stage {
  return {
    before: ({ event: { frame } }) => gate.admit(declared, frame),
  };
}
