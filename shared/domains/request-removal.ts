import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { DomainIds, Removal } from './domain.ts';

/**
 * If the invoked function has not started the removal after this time, the sweeper starts it. The function usually
 * reaches the first step earlier.
 */
const START_WAIT_MS = 30_000;

export type RequestRemovalPorts = {
  domains: {
    /**
     * Marks a domain as `removing` in one write. `unknown`: the domain does not exist or is already being removed.
     *
     * @throws UnavailableError while the table is unavailable
     */
    markRemoving(ids: DomainIds, removal: Removal, dueAtMs: number): Promise<'marked' | 'unknown'>;
  };
  /** Starts the removal asynchronously. The log lines of the removal contain the request id. */
  start(ids: DomainIds, requestId?: string): Promise<void>;
  clock: Clock;
};

export const createRemoval = (nowMs: number): Removal => {
  const now = new Date(nowMs).toISOString();
  return { requestedAt: now, step: 'unbind_pages', since: now, attempts: 0, failureReason: null };
};

/**
 * Commits the removal of a domain. From then on, reads treat the domain as deleted. A background function then removes
 * the domain's bindings to pages, its tenant and certificate at the CDN, and its hostname reservation.
 *
 * @throws HttpError 404 if the organization has no such domain or the domain is already being removed; UnavailableError
 *   while the table is unavailable
 */
export async function requestRemoval(ports: RequestRemovalPorts, ids: DomainIds, log: Logger): Promise<void> {
  const nowMs = ports.clock.now();
  const marked = await ports.domains.markRemoving(ids, createRemoval(nowMs), nowMs + START_WAIT_MS);
  if (marked === 'unknown') {
    throw new HttpError(404, 'There is no domain with this id in the organization (path.assetId).');
  }
  try {
    await ports.start(ids);
    // This log line connects the request id with the domain id. Log lines of the sweeper contain only the domain id.
    log.info('The removal of a domain was started.', ids);
  } catch (error) {
    log.error('The removal of a domain could not be started. The sweeper will start it.', error, ids);
    log.recordMetric('DomainRemovalsNotStarted');
  }
}
