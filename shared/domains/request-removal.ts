import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { DomainIds, Removal } from './domain.ts';

/** Longer than the function that was started takes to its first step; then the sweeper begins. */
const START_WAIT_MS = 30_000;

export type RequestRemovalPorts = {
  domains: {
    /** Marks a domain that is there and not being removed yet, in one write. @throws Problem 503 */
    markRemoving(ids: DomainIds, removal: Removal, dueAtMs: number): Promise<'marked' | 'unknown'>;
  };
  /** Has the removal begin behind the caller's back; what is done is logged with the id of the request. */
  start(ids: DomainIds, requestId?: string): Promise<void>;
  clock: Clock;
};

/** A removal that begins. */
export const createRemoval = (nowMs: number): Removal => {
  const now = new Date(nowMs).toISOString();
  return { requestedAt: now, step: 'unbind_pages', since: now, attempts: 0, problem: null };
};

/**
 * Commits the removal of a domain: from then on no read knows it, and what it holds goes in the background.
 *
 * @throws Problem 404 for one that is unknown, another organization's, or being removed already: the same answer
 */
export async function requestRemoval(ports: RequestRemovalPorts, ids: DomainIds, log: Logger): Promise<void> {
  const nowMs = ports.clock.now();
  const marked = await ports.domains.markRemoving(ids, createRemoval(nowMs), nowMs + START_WAIT_MS);
  if (marked === 'unknown')
    throw new HttpError(404, 'There is no domain with this id in the organization (path.assetId).');
  try {
    await ports.start(ids);
    // What sweepers do for the domain later is found by its id alone.
    log.info('the removal of a domain is started', ids);
  } catch (error) {
    log.error('the removal of a domain could not be started; the sweeper will start it', error, ids);
    log.recordMetric('DomainRemovalsNotStarted');
  }
}
