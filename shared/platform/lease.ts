import { setTimeout as pause } from 'node:timers/promises';
import { systemIdGenerator } from './id-generator.ts';

/**
 * The stored state of a lease. It is free while `holder` is empty. Every write changes `heartbeatId`.
 *
 * @property owner the command or function that holds the lease, shown to those who wait for it
 */
export type LeaseState = { holder: string; heartbeatId: string; owner?: string | undefined };

/** Stores one lease. Every write is conditional on the stored state, so a late writer can't take the lease back. */
export type LeaseRepository = {
  /** Strongly consistent. */
  read(): Promise<LeaseState | undefined>;
  /** Replaces the state `seen` with `own`. @returns false when another state is stored */
  tryAcquire(seen: LeaseState | undefined, own: LeaseState): Promise<boolean>;
  /** Stores a new heartbeat. @returns false when another holder has the lease */
  renew(own: LeaseState): Promise<boolean>;
  /** Frees the lease; does nothing when another holder has it. @param heartbeatId of the free lease */
  release(own: LeaseState, heartbeatId: string): Promise<void>;
};

export type LeasePorts = {
  leases: LeaseRepository;
  newId(): string;
  /** Waits for at least `ms` milliseconds. */
  pause(ms: number): Promise<unknown>;
  /** Calls `run` every `ms` milliseconds. @returns a function that stops the calls */
  every(ms: number, run: () => void): () => void;
};

/** Production ports over a store. */
export const createLeasePorts = (leases: LeaseRepository): LeasePorts => ({
  leases,
  newId: systemIdGenerator.uuid,
  pause: (ms) => pause(ms),
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
});

export type Lease = {
  /** Call before each write. @throws LeaseLostError when the lease is lost: nothing may be written then */
  assertHeld(): Promise<void>;
};

/**
 * Acquires the lease, runs `work`, and always releases the lease.
 *
 * @throws LeaseTimeoutError when the lease did not become free in time: `work` was not started
 * @throws LeaseLostError when the lease was lost before `work` ended
 */
export type WithLease = <T>(work: (lease: Lease) => Promise<T>) => Promise<T>;

/** The lease did not become free in time. Nothing was done. */
export class LeaseTimeoutError extends Error {}

/** The lease expired, and another holder may have it. */
export class LeaseLostError extends Error {}

/**
 * A lease expires after this time without a heartbeat. Each waiting process measures it, by its own pauses: no two
 * clocks need to agree, and setting a clock has no effect. ADR 0012.
 */
export const LEASE_TTL_MS = 60_000;
const HEARTBEAT_MS = 10_000;
const POLL_MS = 500;
/** Longer than one write to a store takes. */
const WRITE_MS_MAX = 2_000;

/**
 * @param waitMs the longest wait; a lease left by a crashed process is taken over only when it exceeds `LEASE_TTL_MS`
 * @param onWait called once per wait, with the current owner of the lease
 * @param owner shown to others that wait for this lease
 * @param onInterrupt registers the release for when the process is interrupted; returns a function that removes it
 */
export function createWithLease(ports: LeasePorts, { waitMs, onWait, owner, onInterrupt }: LeaseOptions): WithLease {
  const { leases: record, newId, every } = ports;
  return async (work) => {
    const holder = newId();
    let isInterrupted = false;
    const release = () => record.release({ holder, heartbeatId: '' }, newId());
    const removeInterrupt = onInterrupt?.(async () => {
      isInterrupted = true;
      // `assertHeld` fails from now on; wait for a write that has already started.
      await ports.pause(WRITE_MS_MAX);
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
      // A failed heartbeat needs no report: each write checks the lease itself.
      stop = every(HEARTBEAT_MS, () => void confirm().catch(() => undefined));
      const done = await work({ assertHeld: confirm });
      // Without the lease, `work` may have read what another process was rewriting.
      await confirm();
      return done;
    } finally {
      stop?.();
      removeInterrupt?.();
      // If this fails, the lease expires.
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
  'The lease expired: it had no heartbeat for a minute, and another process acquired it. Run the same command again to continue.';
const busyText = (owner = 'Another erasure, or another command that needs the same lease,') =>
  `${owner} is still running. Nothing was done. Try again later.`;

async function waitForLease(
  { leases: record, pause }: LeasePorts,
  own: LeaseState,
  { waitMs, onWait, isOver }: Pick<LeaseOptions, 'waitMs' | 'onWait'> & { isOver: () => boolean },
): Promise<void> {
  let isAnnounced = false;
  let sinceHeartbeat: { heartbeatId: string; ms: number } = { heartbeatId: '', ms: 0 };
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const seen = await record.read();
    // Already released by the interrupt: don't acquire it now.
    if (isOver()) throw new Error(INTERRUPTED);
    // An earlier write acquired the lease, but its response was lost.
    if (seen?.holder === own.holder) return;
    if (seen?.heartbeatId !== sinceHeartbeat.heartbeatId)
      sinceHeartbeat = { heartbeatId: seen?.heartbeatId ?? '', ms: 0 };
    const isFree = seen === undefined || seen.holder === '' || sinceHeartbeat.ms >= LEASE_TTL_MS;
    if (isFree && (await record.tryAcquire(seen, own))) return;
    // The caller releases the lease in any case: the response to a write that acquired it may have been lost.
    if (waitedMs >= waitMs) throw new LeaseTimeoutError(busyText(seen?.owner));
    if (!isFree && !isAnnounced) onWait?.(seen?.owner);
    isAnnounced ||= !isFree;
    await pause(POLL_MS);
    sinceHeartbeat.ms += POLL_MS;
  }
}
