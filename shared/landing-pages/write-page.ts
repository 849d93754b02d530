import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { PageWriteIntent, PageWriter } from './ports.ts';
import type { PageWithParts } from './rewriting/rewrite-page.ts';

/** Then whoever wrote it has long been ended by its time limit. */
const LOOKED_AFTER_MS = 10 * 60_000;
/** What was given up may still be arriving. */
const ABANDONED_MS = 60_000;

export type WritePagePorts = { writes: PageWriter; clock: Clock };

/**
 * Writes a page so that it exists in whole or not at all, whatever dies meanwhile.
 *
 * @param make what is written; it may bring files to where the attempt's leftovers are looked for
 * @param verify asked when all but the page's own record is written; throws where it must not be any more
 * @param deadlineMs when it is given up
 * @throws Problem 503 when it came too late
 */
export async function writePage(
  { writes, clock }: WritePagePorts,
  { attempt, deadlineMs, log }: { attempt: PageWriteIntent; deadlineMs: number; log: Logger },
  make: () => Promise<PageWithParts>,
  verify: (made: PageWithParts) => Promise<void> = async () => undefined,
): Promise<void> {
  const refuseLate = () => {
    if (clock.now() > deadlineMs) throw tooLate();
  };
  try {
    await writes.putIntent(attempt, clock.now() + LOOKED_AFTER_MS);
    const made = await make();
    refuseLate();
    await writes.putParts(attempt.pageId, made);
    await verify(made);
    refuseLate();
    if (!(await writes.commit(made.page))) throw tooLate();
  } catch (cause) {
    // Again, as a sweeper that came before may have forgotten it.
    const noted = writes.putIntent(attempt, clock.now() + ABANDONED_MS);
    await noted.catch((error: unknown) => log.error('what is left of a page could not be noted', error));
    throw cause;
  }
  // The sweeper forgets it too.
  await writes.deleteIntent(attempt).catch((error: unknown) => log.error('a written page is still noted', error));
}

const tooLate = (): HttpError =>
  new HttpError(503, 'The page could not be written in time, and nothing of it was kept. Try again.', {
    headers: { 'Retry-After': '5' },
  });
