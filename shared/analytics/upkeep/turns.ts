/** Who has the turn: nobody where `holder` is empty. Its `beat` is another one with every write. */
export type Holding = { holder: string; beat: string };

/** The one place where it stands whose turn it is. Every write depends on what stands there, whoever is late. */
export type TurnRecord = {
  /** As it is right now. */
  read(): Promise<Holding | undefined>;
  /** Puts `own` in the place of what was seen. @returns false when another stands there */
  take(seen: Holding | undefined, own: Holding): Promise<boolean>;
  /** Gives it a new beat. @returns false when it is another one's turn */
  keep(own: Holding): Promise<boolean>;
  /** Gives the turn back; nothing when it is another one's already. @param beat of the free turn */
  give(own: Holding, beat: string): Promise<void>;
};

export type TurnPorts = {
  record: TurnRecord;
  newId(): string;
  /** @param ms milliseconds that it takes at least */
  pause(ms: number): Promise<unknown>;
  /** Runs it again and again. @returns what ends that */
  every(ms: number, run: () => void): () => void;
};

export type Turn = {
  /** To be asked before each write. @throws when it is another one's turn by now; nothing must be written then */
  confirm(): Promise<void>;
};

/**
 * Does work that nobody else does at the same time: what rewrites raw events or records that wait for an operator, and
 * what must see all of them. Waits for its turn, and gives it back also when the work fails.
 *
 * @throws NoTurn when others took too long, before anything was done; when the turn was lost before the work's end
 */
export type InTurn = <T>(work: (turn: Turn) => Promise<T>) => Promise<T>;

/** Others took too long. Nothing was done. */
export class NoTurn extends Error {}

/**
 * Whoever was not heard of for so long has died. It is measured by whoever waits, so that no two clocks need to agree,
 * and by pauses, so that a clock that is set ends nothing.
 */
export const UNHEARD_MS_MAX = 60_000;
const KEEP_MS = 10_000;
const POLL_MS = 500;

/**
 * @param waitMs the longest that it waits: longer than `UNHEARD_MS_MAX`, or the dead are never overtaken
 * @param onWait told once, when it is another one's turn
 */
export function inTurnBy(
  ports: TurnPorts,
  { waitMs, onWait }: { waitMs: number; onWait?: (() => void) | undefined },
): InTurn {
  const { record, newId, every } = ports;
  return async (work) => {
    const { holder } = await waitForTurn(ports, waitMs, onWait);
    const confirm = async () => {
      if (!(await record.keep({ holder, beat: newId() }))) throw new Error(LOST);
    };
    // Failures meet the next write, which asks for itself.
    const stop = every(KEEP_MS, () => void confirm().catch(() => undefined));
    try {
      const done = await work({ confirm });
      // What the work saw may have been half of what another one was moving.
      await confirm();
      return done;
    } finally {
      stop();
      // Where that fails, whoever is next waits a minute.
      await record.give({ holder, beat: '' }, newId()).catch(() => undefined);
    }
  };
}

const LOST =
  'Nothing was heard of this for a minute, and another erasure went on in its place: the same again does what is left.';
const BUSY =
  'Another erasure, or a command that may not run beside one, is still under way. Nothing was done: try again.';

async function waitForTurn(ports: TurnPorts, waitMs: number, onWait?: () => void): Promise<Holding> {
  const { record, newId, pause } = ports;
  const own = { holder: newId(), beat: newId() };
  let told = false;
  let unheard: { beat: string; ms: number } = { beat: '', ms: 0 };
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const seen = await record.read();
    // The answer to its own write was lost.
    if (seen?.holder === own.holder) return own;
    if (seen?.beat !== unheard.beat) unheard = { beat: seen?.beat ?? '', ms: 0 };
    const isFree = seen === undefined || seen.holder === '' || unheard.ms >= UNHEARD_MS_MAX;
    if (isFree && (await record.take(seen, own))) return own;
    if (waitedMs >= waitMs) {
      // A write whose answer was lost must not keep the turn for nobody.
      await record.give(own, newId());
      throw new NoTurn(BUSY);
    }
    if (!isFree && !told) onWait?.();
    told ||= !isFree;
    await pause(POLL_MS);
    unheard.ms += POLL_MS;
  }
}
