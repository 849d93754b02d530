import { setTimeout as pause } from 'node:timers/promises';
import { systemIdGenerator } from '../id-generator.ts';
import type { LeasePorts } from '../lease.ts';
import { createDynamoLeaseRepository } from './dynamo-lease.ts';

/** Turns among all that work on the same table. */
export const createSystemLeasePorts = (): LeasePorts => ({
  leases: createDynamoLeaseRepository(),
  newId: systemIdGenerator.uuid,
  pause: (ms) => pause(ms),
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
});
