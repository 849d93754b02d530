import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { DomainIds, Removal } from './domain.ts';

/** Longer than the invoked function needs to reach its first step. After that, the sweeper starts the removal. */
const START_WAIT_MS = 30_000;

export type RequestRemovalPorts = {
  domains: {
    /** Marks an existing domain that is not being removed yet, in one write. @throws UnavailableError */
    markRemoving(ids: DomainIds, removal: Removal, dueAtMs: number): Promise<'marked' | 'unknown'>;
  };
  /** Starts the removal asynchronously. Its log lines contain the request id. */
  start(ids: DomainIds, requestId?: string): Promise<void>;
  clock: Clock;
};

/** The initial state of a removal. */
export const createRemoval = (nowMs: number): Removal => {
  const now = new Date(nowMs).toISOString();
  return { requestedAt: now, step: 'unbind_pages', since: now, attempts: 0, failureReason: null };
};

/**
 * Commits the removal of a domain. From then on reads treat it as deleted; a background function removes what it holds.
 *
 * @throws HttpError 404, the same for a domain that is unknown, of another organization, or already being removed
 */
export async function requestRemoval(ports: RequestRemovalPorts, ids: DomainIds, log: Logger): Promise<void> {
  const nowMs = ports.clock.now();
  const marked = await ports.domains.markRemoving(ids, createRemoval(nowMs), nowMs + START_WAIT_MS);
  if (marked === 'unknown') {
    throw new HttpError(404, 'There is no domain with this id in the organization (path.assetId).');
  }
  try {
    await ports.start(ids);
    // Log lines of the sweeper contain the domain id, but not the request id.
    log.info('The removal of a domain was started.', ids);
  } catch (error) {
    log.error('The removal of a domain could not be started. The sweeper will start it.', error, ids);
    log.recordMetric('DomainRemovalsNotStarted');
  }
}
