/**
 * Who holds the lease: free where `holder` is empty. Its `beat` changes with every write.
 *
 * @property owner a command or function, for people who wait for it
 */
export type LeaseState = { holder: string; beat: string; owner?: string | undefined };

/** The one place where it stands whose turn it is. Every write depends on what stands there, whoever is late. */
export type LeaseRepository = {
  /** As it is right now. */
  read(): Promise<LeaseState | undefined>;
  /** Puts `own` in the place of what was seen. @returns false when another stands there */
  tryAcquire(seen: LeaseState | undefined, own: LeaseState): Promise<boolean>;
  /** Gives it a new beat. @returns false when it is another one's turn */
  renew(own: LeaseState): Promise<boolean>;
  /** Gives the turn back; nothing when it is another one's already. @param beat of the free turn */
  release(own: LeaseState, beat: string): Promise<void>;
};

export type LeasePorts = {
  leases: LeaseRepository;
  newId(): string;
  /** @param ms milliseconds that it takes at least */
  pause(ms: number): Promise<unknown>;
  /** Runs it again and again. @returns what ends that */
  every(ms: number, run: () => void): () => void;
};

export type Lease = {
  /** To be asked before each write. @throws when it is another one's turn by now; nothing must be written then */
  assertHeld(): Promise<void>;
};

/**
 * Does work that nobody else does at the same time: what rewrites raw events or records that wait for an operator, and
 * what must see all of them. Waits for its turn, and gives it back also when the work fails.
 *
 * @throws NoTurn when others took too long, before anything was done; when the turn was lost before the work's end
 */
export type WithLease = <T>(work: (turn: Lease) => Promise<T>) => Promise<T>;

/** Others took too long. Nothing was done. */
export class LeaseTimeoutError extends Error {}

/**
 * Whoever was not heard of for so long has died. It is measured by whoever waits, so that no two clocks need to agree,
 * and by pauses, so that a clock that is set ends nothing.
 */
export const LEASE_TTL_MS = 60_000;
const KEEP_MS = 10_000;
const POLL_MS = 500;
/** Longer than a write of a store takes. */
const WRITES_MS = 2_000;

/**
 * @param waitMs the longest that it waits: longer than `UNHEARD_MS_MAX`, or the dead are never overtaken
 * @param onWait called once per wait, with the owner of the lease that it waits for
 * @param owner shown to those who wait for this one
 * @param onInterrupt registers the release of the lease for when the process is interrupted; returns what removes it
 */
export function createWithLease(ports: LeasePorts, { waitMs, onWait, owner, onInterrupt }: TurnOptions): WithLease {
  const { leases: record, newId, every } = ports;
  return async (work) => {
    const holder = newId();
    let isInterrupted = false;
    const release = () => record.release({ holder, beat: '' }, newId());
    const removeInterrupt = onInterrupt?.(async () => {
      isInterrupted = true;
      // Until writes that have begun are done; no further one begins.
      await ports.pause(WRITES_MS);
      await release();
    });
    const confirm = async () => {
      if (isInterrupted) throw new Error(INTERRUPTED);
      if (!(await record.renew({ holder, beat: newId(), owner }))) throw new Error(LOST);
    };
    let stop: (() => void) | undefined;
    try {
      const isOver = () => isInterrupted;
      await waitForTurn(ports, { holder, beat: newId(), owner }, { waitMs, onWait, isOver });
      // A failed heartbeat needs no report: the next write confirms the lease itself.
      stop = every(KEEP_MS, () => void confirm().catch(() => undefined));
      const done = await work({ assertHeld: confirm });
      // What the work saw may have been half of what another one was moving.
      await confirm();
      return done;
    } finally {
      stop?.();
      removeInterrupt?.();
      // If this fails, the lease expires by itself.
      await release().catch(() => undefined);
    }
  };
}

type TurnOptions = {
  waitMs: number;
  onWait?: ((owner: string | undefined) => void) | undefined;
  owner?: string;
  onInterrupt?: ((cleanUp: () => Promise<void>) => () => void) | undefined;
};

const INTERRUPTED = 'The command was interrupted.';
const LOST =
  'Nothing was heard of this for a minute, and another erasure went on in its place: the same again does what is left.';
const busyText = (owner = 'Another erasure, or a command that may not run beside one,') =>
  `${owner} is still under way. Nothing was done: try again.`;

async function waitForTurn(
  { leases: record, pause }: LeasePorts,
  own: LeaseState,
  { waitMs, onWait, isOver }: Pick<TurnOptions, 'waitMs' | 'onWait'> & { isOver: () => boolean },
): Promise<void> {
  let isAnnounced = false;
  let unheard: { beat: string; ms: number } = { beat: '', ms: 0 };
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const seen = await record.read();
    // Released already: it must not be acquired any more.
    if (isOver()) throw new Error(INTERRUPTED);
    // The answer to its own write was lost.
    if (seen?.holder === own.holder) return;
    if (seen?.beat !== unheard.beat) unheard = { beat: seen?.beat ?? '', ms: 0 };
    const isFree = seen === undefined || seen.holder === '' || unheard.ms >= LEASE_TTL_MS;
    if (isFree && (await record.tryAcquire(seen, own))) return;
    // The caller releases it: the response to a write that took it may have been lost.
    if (waitedMs >= waitMs) throw new LeaseTimeoutError(busyText(seen?.owner));
    if (!isFree && !isAnnounced) onWait?.(seen?.owner);
    isAnnounced ||= !isFree;
    await pause(POLL_MS);
    unheard.ms += POLL_MS;
  }
}
