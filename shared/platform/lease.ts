import { setTimeout as sleep } from 'node:timers/promises';
import { systemIdGenerator } from './id-generator.ts';

/**
 * The stored state of a lease. The lease is free while `holder` is empty. Every write changes `heartbeatId`.
 *
 * @property owner the command or function that holds the lease; commands that wait for the lease show this owner
 */
export type LeaseState = { holder: string; heartbeatId: string; owner?: string | undefined };

/**
 * Stores one lease. Every write is conditional on the stored state, so a process that has lost the lease can't take it
 * back by a late write.
 */
export type LeaseRepository = {
  /** Reads with strong consistency. */
  read(): Promise<LeaseState | undefined>;
  /** Replaces the state `seen` with `own`. @returns false when another state is stored */
  tryAcquire(seen: LeaseState | undefined, own: LeaseState): Promise<boolean>;
  /** Stores a new heartbeat. @returns false when `own.holder` does not hold the lease */
  renew(own: LeaseState): Promise<boolean>;
  /** Frees the lease. Does nothing when another holder has it. @param heartbeatId a new heartbeat id to store */
  release(own: LeaseState, heartbeatId: string): Promise<void>;
};

export type LeasePorts = {
  leases: LeaseRepository;
  newId(): string;
  /** Waits for at least `ms` milliseconds. */
  sleep(ms: number): Promise<unknown>;
  /** Calls `run` every `ms` milliseconds. @returns a function that stops the calls */
  every(ms: number, run: () => void): () => void;
};

/** Creates ports with the system's timers and random ids. */
export const createLeasePorts = (leases: LeaseRepository): LeasePorts => ({
  leases,
  newId: systemIdGenerator.uuid,
  sleep: (ms) => sleep(ms),
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
});

export type Lease = {
  /**
   * Call before each write. If it throws, nothing may be written.
   *
   * @throws LeaseLostError when the lease is lost; Error when the process was interrupted
   */
  assertHeld(): Promise<void>;
};

/**
 * Acquires the lease, runs `work`, and then releases the lease, even if `work` throws.
 *
 * @throws LeaseTimeoutError when the lease did not become free in time; `work` was not started
 * @throws LeaseLostError when the lease was lost before `work` ended
 * @throws Error when the process was interrupted
 */
export type WithLease = <T>(work: (lease: Lease) => Promise<T>) => Promise<T>;

/** The lease did not become free in time. The work was not started. */
export class LeaseTimeoutError extends Error {}

/** The lease expired, and another process acquired it. */
export class LeaseLostError extends Error {}

/**
 * A lease expires after this time without a heartbeat. A waiting process adds up its pauses between polls and does not
 * read a clock. Wrong or changed clocks therefore do no harm (ADR 0012).
 */
export const LEASE_TTL_MS = 60_000;
const HEARTBEAT_MS = 10_000;
const POLL_MS = 500;
/** An interrupted process waits for this time before it releases the lease, so that a started write can end. */
const INTERRUPT_WAIT_MS = 2_000;

/**
 * @param waitMs maximum wait; must exceed `LEASE_TTL_MS` so that the lease of a crashed process can be taken over
 * @param onWait called once if the lease is not free, with its current owner
 * @param owner name of the command or function; processes that wait for this lease show it
 * @param onInterrupt registers a function to run when the process is interrupted; returns a function that unregisters
 *   it
 */
export function createWithLease(ports: LeasePorts, { waitMs, onWait, owner, onInterrupt }: LeaseOptions): WithLease {
  const { leases: record, newId, every } = ports;
  return async (work) => {
    const holder = newId();
    let isInterrupted = false;
    const release = () => record.release({ holder, heartbeatId: '' }, newId());
    const removeInterrupt = onInterrupt?.(async () => {
      isInterrupted = true;
      // `assertHeld` fails from now on.
      await ports.sleep(INTERRUPT_WAIT_MS);
      await release();
    });
    const confirm = async () => {
      if (isInterrupted) throw new Error(INTERRUPTED);
      if (!(await record.renew({ holder, heartbeatId: newId(), owner }))) throw new LeaseLostError(LOST);
    };
    let stop: (() => void) | undefined;
    try {
      const isOver = () => isInterrupted;
      await waitForLease(ports, { holder, heartbeatId: newId(), owner }, { waitMs, onWait, isOver });
      // A failed heartbeat is not reported, because `assertHeld` checks the lease before each write.
      stop = every(HEARTBEAT_MS, () => void confirm().catch(() => undefined));
      const done = await work({ assertHeld: confirm });
      // Throws if the lease was lost. In that case, `done` may be wrong, because another process may have changed the
      // data that `work` read.
      await confirm();
      return done;
    } finally {
      stop?.();
      removeInterrupt?.();
      // If the release fails, the lease expires.
      await release().catch(() => undefined);
    }
  };
}

type LeaseOptions = {
  waitMs: number;
  onWait?: ((owner: string | undefined) => void) | undefined;
  owner?: string;
  onInterrupt?: ((cleanUp: () => Promise<void>) => () => void) | undefined;
};

const INTERRUPTED = 'The command was interrupted.';
const LOST =
  'The lease expired, because it had no heartbeat for a minute. Another process acquired it. ' +
  'Run the same command again to continue. A scheduled function continues in its next run.';
const busyText = (owner = 'Another command or function that needs the same lease') =>
  `${owner} is still running. Nothing was done. Try again later.`;

async function waitForLease(
  { leases: record, sleep }: LeasePorts,
  own: LeaseState,
  { waitMs, onWait, isOver }: Pick<LeaseOptions, 'waitMs' | 'onWait'> & { isOver: () => boolean },
): Promise<void> {
  let isAnnounced = false;
  let sinceHeartbeat: { heartbeatId: string; ms: number } = { heartbeatId: '', ms: 0 };
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const seen = await record.read();
    // An interrupted process must not acquire the lease, because the process may exit before it releases the lease.
    if (isOver()) throw new Error(INTERRUPTED);
    // An earlier write of this process acquired the lease, but the response to the write was lost.
    if (seen?.holder === own.holder) return;
    if (seen?.heartbeatId !== sinceHeartbeat.heartbeatId)
      sinceHeartbeat = { heartbeatId: seen?.heartbeatId ?? '', ms: 0 };
    const isFree = seen === undefined || seen.holder === '' || sinceHeartbeat.ms >= LEASE_TTL_MS;
    if (isFree && (await record.tryAcquire(seen, own))) return;
    // The caller releases the lease even after this error: if the response to a write was lost, this process may hold
    // it.
    if (waitedMs >= waitMs) throw new LeaseTimeoutError(busyText(seen?.owner));
    if (!isFree && !isAnnounced) onWait?.(seen?.owner);
    isAnnounced ||= !isFree;
    await sleep(POLL_MS);
    sinceHeartbeat.ms += POLL_MS;
  }
}
