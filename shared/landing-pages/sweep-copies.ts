import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { sweepDue } from '../platform/sweep-due.ts';
import type { Attempt, PageWrites, Tombstones } from './pages.ts';
import { type RemoveFilesPorts, removeFilesOf } from './remove-files.ts';

/** Attempts by the time at which somebody shall look after them. */
export type DueAttempts = {
  /** At most so many that are due, the longest first. */
  due(nowMs: number, most: number): Promise<Attempt[]>;
  /** When it is due, as of right now; undefined when it is forgotten. */
  dueAtMs(attempt: Attempt): Promise<number | undefined>;
  /** Unless it was noted again since. */
  forget(attempt: Attempt, dueAtMs: number): Promise<void>;
};

export type UncommittedPorts = RemoveFilesPorts & {
  tombstones: Tombstones;
  leftovers: {
    /** Blocks and assets of a page. Nothing need be there. */
    removeParts(pageId: string): Promise<void>;
  };
  clock: Clock;
};

export type SweepPorts = UncommittedPorts & {
  attempts: DueAttempts;
  writes: Pick<PageWrites, 'begin'>;
  log: Log;
};

/** What came of an attempt that was due. */
export type Swept = 'committed' | 'removed' | 'overtaken' | 'failed';

const RUN_MS_MAX = 60_000;
const PUT_OFF_MS = 15 * 60_000;

/**
 * Removes what is left of pages that were never committed. A tombstone comes first: whoever only paused can not commit a page
 * whose parts are going.
 *
 * @returns how often each thing happened; it ends when nothing is due or its time is over
 */
export const sweepCopies = (ports: SweepPorts): Promise<Map<Swept, number>> =>
  sweepDue(
    {
      due: (nowMs, most) => ports.attempts.due(nowMs, most),
      one: (attempt: Attempt) => sweepOne(ports, attempt),
      advances: (swept: Swept) => swept === 'committed' || swept === 'removed',
      runMsMax: RUN_MS_MAX,
    },
    ports,
  );

async function sweepOne(ports: SweepPorts, attempt: Attempt): Promise<Swept> {
  const { attempts, writes, clock, log } = ports;
  try {
    const dueAtMs = await attempts.dueAtMs(attempt);
    if (dueAtMs === undefined || dueAtMs > clock.now()) return 'overtaken';
    const isCommitted = !(await removeUncommitted(ports, attempt));
    await attempts.forget(attempt, dueAtMs);
    return isCommitted ? 'committed' : 'removed';
  } catch (cause) {
    log.error('what is left of a page could not be removed', cause, { pageId: attempt.pageId });
    // Behind the others, so that it holds none of them up.
    const noted = writes.begin(attempt, clock.now() + PUT_OFF_MS);
    await noted.catch((error: unknown) => log.error('a sweep could not be put off', error));
    return 'failed';
  }
}

/** False when the page exists: then nothing is removed. */
export async function removeUncommitted(ports: UncommittedPorts, attempt: Attempt): Promise<boolean> {
  if (!(await ports.tombstones.entomb(attempt, ports.clock.now()))) return false;
  await removeFilesOf(ports, attempt);
  // Last: by them a repetition knows which files there are.
  await ports.leftovers.removeParts(attempt.pageId);
  return true;
}
