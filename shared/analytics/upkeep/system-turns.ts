import { setTimeout as pause } from 'node:timers/promises';
import { systemIdGenerator } from '../../platform/id-generator.ts';
import { dynamoTurnRecord } from './dynamo-turns.ts';
import type { TurnPorts } from './turns.ts';

/** Turns among all that work on the same table. */
export const systemTurns = (): TurnPorts => ({
  record: dynamoTurnRecord(),
  newId: systemIdGenerator.uuid,
  pause: (ms) => pause(ms),
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
});
