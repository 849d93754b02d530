import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Holding, InTurn, Turn, TurnPorts, TurnRecord } from '../../shared/analytics/upkeep/turns.ts';

/** Of somebody whom nobody disturbs. */
export const heldTurn: Turn = { confirm: async () => undefined };
export const alone: InTurn = (work) => work(heldTurn);

/** Whose turn it is, in memory, each call being one instant. */
export function memoryTurnRecord(): TurnRecord & { standing(): Holding | undefined } {
  let standing: Holding | undefined;
  const putIf = (isRight: boolean, next: Holding): boolean => {
    if (isRight) standing = next;
    return isRight;
  };
  return {
    standing: () => standing,
    read: async () => standing,
    take: async (seen, own) => putIf(standing?.holder === seen?.holder && standing?.beat === seen?.beat, own),
    keep: async (own) => putIf(standing?.holder === own.holder, own),
    give: async (own, beat) => void putIf(standing?.holder === own.holder, { holder: '', beat }),
  };
}

/** Turns whose waiting takes no time. @param record of all who take turns with each other */
export const quickTurns = (record: TurnRecord = memoryTurnRecord()): TurnPorts => ({
  record,
  newId: randomUUID,
  pause: () => pause(1),
  every: () => () => undefined,
});
