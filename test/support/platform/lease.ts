import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lease, LeasePorts, LeaseRepository, LeaseState, WithLease } from '../../../shared/platform/lease.ts';

/** The result of a process that holds the lease without interference. */
export const heldLease: Lease = { assertHeld: async () => undefined };
export const withUncontendedLease: WithLease = (work) => work(heldLease);

/** An in-memory lease; each call is atomic. */
export function createMemoryLeaseRepository(): LeaseRepository & { standing(): LeaseState | undefined } {
  let standing: LeaseState | undefined;
  const putIf = (isRight: boolean, next: LeaseState): boolean => {
    if (isRight) standing = next;
    return isRight;
  };
  return {
    standing: () => standing,
    read: async () => standing,
    tryAcquire: async (seen, own) =>
      putIf(standing?.holder === seen?.holder && standing?.heartbeatId === seen?.heartbeatId, own),
    renew: async (own) => putIf(standing?.holder === own.holder, own),
    release: async (own, heartbeatId) => void putIf(standing?.holder === own.holder, { holder: '', heartbeatId }),
  };
}

/** Leases without waiting time. @param record shared by all processes that compete for the lease */
export const createFastLeasePorts = (record: LeaseRepository = createMemoryLeaseRepository()): LeasePorts => ({
  leases: record,
  newId: randomUUID,
  pause: () => pause(1),
  every: () => () => undefined,
});
