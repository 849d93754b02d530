import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { PageWithParts } from './landing-page.ts';
import type { PageWriteIntent, PageWriter } from './ports.ts';

/**
 * Delay until an unfinished write is rolled back. Much longer than the timeout of the function that writes, so that no
 * running write is rolled back.
 */
const ROLL_BACK_AFTER_MS = 10 * 60_000;
/**
 * Delay until a failed write is rolled back. The rollback waits because requests that were already sent may still
 * arrive.
 */
const ROLL_BACK_AFTER_FAILURE_MS = 60_000;

export type WritePagePorts = { writes: PageWriter; clock: Clock };

/**
 * Writes a page completely or not at all, even if the process dies, because the sweeper rolls back what was not
 * committed.
 *
 * @param create returns the page to write; files that it creates must be in the page's own folder
 * @param verify runs before the commit; throws if the page must no longer be written
 * @throws HttpError 503 if the deadline has passed or the sweeper has rolled back the write. Also rethrows the errors
 *   of `create`, `verify` and `writes`
 */
export async function writePage(
  { writes, clock }: WritePagePorts,
  { intent, deadlineMs, log }: { intent: PageWriteIntent; deadlineMs: number; log: Logger },
  create: () => Promise<PageWithParts>,
  verify: (page: PageWithParts) => Promise<void> = async () => undefined,
): Promise<void> {
  const ids = { pageId: intent.pageId };
  const assertInTime = () => {
    if (clock.now() > deadlineMs) throw tooLate();
  };
  try {
    await writes.putIntent(intent, clock.now() + ROLL_BACK_AFTER_MS);
    const created = await create();
    assertInTime();
    await writes.putParts(intent.pageId, created);
    await verify(created);
    assertInTime();
    if (!(await writes.commit(created.page))) throw tooLate();
  } catch (cause) {
    // The intent is written again, because a sweeper may have processed and deleted it in the meantime.
    await writes
      .putIntent(intent, clock.now() + ROLL_BACK_AFTER_FAILURE_MS)
      .catch((error: unknown) =>
        log.error(
          'The intent record of a failed page write could not be written again. If the sweeper has already deleted the ' +
            'first record, parts of the page may remain. Otherwise, the sweeper removes them.',
          error,
          ids,
        ),
      );
    throw cause;
  }
  // If the deletion fails, the sweeper finds the page committed and deletes the intent.
  await writes
    .deleteIntent(intent)
    .catch((error: unknown) =>
      log.error('The intent record of a written page could not be deleted. The sweeper deletes it.', error, ids),
    );
}

const tooLate = (): HttpError =>
  new HttpError(503, 'The page was not created, because writing took too long. Try again.', {
    headers: { 'Retry-After': '5' },
  });
