import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease, LeasePorts, LeaseRepository, LeaseState, WithLease } from '../../../shared/platform/lease.ts';

/** A lease that is never lost. */
export const heldLease: Lease = { assertHeld: async () => undefined };
export const withUncontendedLease: WithLease = (work) => work(heldLease);

/** Stores a lease in memory. Each operation is atomic. */
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

/** Ports with short pauses and no heartbeats. @param record shared by all processes that compete for the lease */
export const createFastLeasePorts = (record: LeaseRepository = createMemoryLeaseRepository()): LeasePorts => ({
  leases: record,
  newId: randomUUID,
  sleep: () => sleep(1),
  every: () => () => undefined,
});
