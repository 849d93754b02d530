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
 * @returns the number of intents by outcome
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
    log.error('A page write or deletion could not be rolled back or finished. The sweeper retries it.', cause, {
      pageId: intent.pageId,
    });
    // Postpones the failed intent, so that it does not delay other intents.
    await writes
      .putIntent(intent, clock.now() + RETRY_MS)
      .catch((error: unknown) =>
        log.error(
          'The next attempt for an intent record could not be postponed. The next run processes the record again.',
          error,
          { pageId: intent.pageId },
        ),
      );
    return 'failed';
  }
}

/**
 * First writes a tombstone, so that a frozen writer can't commit later. Then deletes the page's files, except those
 * that other pages use, and the page's parts.
 *
 * @returns false if the page is committed and nothing was deleted
 */
export async function rollBackPageWrite(ports: RollBackPorts, intent: PageWriteIntent): Promise<boolean> {
  if (!(await ports.tombstones.putTombstone(intent, ports.clock.now()))) return false;
  await deleteUnreferencedAssets(ports, intent);
  // The parts are deleted last, because after a crash, the next attempt needs the parts to find the files.
  await ports.deleter.deleteParts(intent.pageId);
  return true;
}
