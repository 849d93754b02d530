import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { sweep } from '../platform/sweeper.ts';
import { type DeleteAssetsPorts, deleteUnreferencedAssets } from './delete-unreferenced-assets.ts';
import type { PageWriteIntent, PageWriter, TombstoneRepository } from './ports.ts';

/** Attempts by the time at which somebody shall look after them. */
export type PageWriteIntentRepository = {
  /** At most so many that are due, the longest first. */
  listDue(nowMs: number, most: number): Promise<PageWriteIntent[]>;
  /** When it is due, as of right now; undefined when it is forgotten. */
  getDueAtMs(attempt: PageWriteIntent): Promise<number | undefined>;
  /** Unless it was noted again since. */
  deleteIfUnchanged(attempt: PageWriteIntent, dueAtMs: number): Promise<void>;
};

export type RollBackPorts = DeleteAssetsPorts & {
  tombstones: TombstoneRepository;
  leftovers: {
    /** Blocks and assets of a page. Nothing need be there. */
    deleteParts(pageId: string): Promise<void>;
  };
  clock: Clock;
};

export type PageWriteSweepPorts = RollBackPorts & {
  intents: PageWriteIntentRepository;
  writes: Pick<PageWriter, 'putIntent'>;
  log: Logger;
};

/** What came of an attempt that was due. */
export type PageWriteSweepOutcome = 'committed' | 'removed' | 'overtaken' | 'failed';

const RUN_MS_MAX = 60_000;
const PUT_OFF_MS = 15 * 60_000;

/**
 * Removes what is left of pages that were never committed. A tombstone comes first: whoever only paused can not commit a page
 * whose parts are going.
 *
 * @returns how often each thing happened; it ends when nothing is due or its time is over
 */
export const sweepPageWrites = (ports: PageWriteSweepPorts): Promise<Map<PageWriteSweepOutcome, number>> =>
  sweep(
    {
      findDue: (nowMs, most) => ports.intents.listDue(nowMs, most),
      processItem: (attempt: PageWriteIntent) => sweepOne(ports, attempt),
      isProgress: (swept: PageWriteSweepOutcome) => swept === 'committed' || swept === 'removed',
      timeLimitMs: RUN_MS_MAX,
    },
    ports,
  );

async function sweepOne(ports: PageWriteSweepPorts, attempt: PageWriteIntent): Promise<PageWriteSweepOutcome> {
  const { intents: attempts, writes, clock, log } = ports;
  try {
    const dueAtMs = await attempts.getDueAtMs(attempt);
    if (dueAtMs === undefined || dueAtMs > clock.now()) return 'overtaken';
    const isCommitted = !(await rollBackPageWrite(ports, attempt));
    await attempts.deleteIfUnchanged(attempt, dueAtMs);
    return isCommitted ? 'committed' : 'removed';
  } catch (cause) {
    log.error('what is left of a page could not be removed', cause, { pageId: attempt.pageId });
    // Behind the others, so that it holds none of them up.
    const noted = writes.putIntent(attempt, clock.now() + PUT_OFF_MS);
    await noted.catch((error: unknown) => log.error('a sweep could not be put off', error));
    return 'failed';
  }
}

/** False when the page exists: then nothing is removed. */
export async function rollBackPageWrite(ports: RollBackPorts, attempt: PageWriteIntent): Promise<boolean> {
  if (!(await ports.tombstones.putTombstone(attempt, ports.clock.now()))) return false;
  await deleteUnreferencedAssets(ports, attempt);
  // Last: by them a repetition knows which files there are.
  await ports.leftovers.deleteParts(attempt.pageId);
  return true;
}
