import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { sweep } from '../platform/sweeper.ts';
import { type DeleteAssetsPorts, deleteUnreferencedAssets } from './delete-unreferenced-assets.ts';
import type {
  PageDeleter,
  PageTombstoneRepository,
  PageWriteIntent,
  PageWriteIntentRepository,
  PageWriter,
} from './ports.ts';

export type RollBackPorts = DeleteAssetsPorts & {
  tombstones: PageTombstoneRepository;
  deleter: PageDeleter;
  clock: Clock;
};

export type PageWriteSweepPorts = RollBackPorts & {
  intents: PageWriteIntentRepository;
  writes: Pick<PageWriter, 'putIntent'>;
  log: Logger;
};

/** `conflict`: the intent was no longer due when the sweeper read it. */
export type PageWriteSweepOutcome = 'committed' | 'rolled_back' | 'conflict' | 'failed';

const RUN_MS_MAX = 60_000;
const RETRY_MS = 15 * 60_000;

/**
 * Rolls back page writes that were never committed, and finishes interrupted deletions.
 *
 * @returns the number of intents by outcome. Ends when nothing is due or its time is over.
 */
export const sweepPageWrites = (ports: PageWriteSweepPorts): Promise<Map<PageWriteSweepOutcome, number>> =>
  sweep(
    {
      findDue: (nowMs, most) => ports.intents.listDue(nowMs, most),
      processItem: (intent: PageWriteIntent) => sweepIntent(ports, intent),
      isProgress: (outcome: PageWriteSweepOutcome) => outcome === 'committed' || outcome === 'rolled_back',
      timeLimitMs: RUN_MS_MAX,
    },
    ports,
  );

async function sweepIntent(ports: PageWriteSweepPorts, intent: PageWriteIntent): Promise<PageWriteSweepOutcome> {
  const { intents, writes, clock, log } = ports;
  try {
    const dueAtMs = await intents.getDueAtMs(intent);
    if (dueAtMs === undefined || dueAtMs > clock.now()) return 'conflict';
    const isRolledBack = await rollBackPageWrite(ports, intent);
    await intents.deleteIfUnchanged(intent, dueAtMs);
    return isRolledBack ? 'rolled_back' : 'committed';
  } catch (cause) {
    log.error('A page write could not be rolled back.', cause, { pageId: intent.pageId });
    // Moved behind the others, so that a failing intent does not block them.
    await writes
      .putIntent(intent, clock.now() + RETRY_MS)
      .catch((error: unknown) => log.error('The intent of a page write could not be rescheduled.', error));
    return 'failed';
  }
}

/**
 * Writes a tombstone, so that a paused writer can no longer commit, then deletes the page's files and parts.
 *
 * @returns false when the page is committed: nothing is deleted
 */
export async function rollBackPageWrite(ports: RollBackPorts, intent: PageWriteIntent): Promise<boolean> {
  if (!(await ports.tombstones.putTombstone(intent, ports.clock.now()))) return false;
  await deleteUnreferencedAssets(ports, intent);
  // Last: after a crash, the next attempt finds the files by the parts.
  await ports.deleter.deleteParts(intent.pageId);
  return true;
}
