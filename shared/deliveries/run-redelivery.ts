import { effectiveStatus } from './delivery.ts';
import type { DispatchRun, EndpointState } from './ports.ts';

const PAGE_SIZE = 25;

/**
 * Carries out the redelivery of an endpoint: reads its history in pages, oldest first. For each message that must be
 * sent again, adds a request to its lane. Stores the position in the history after each page. After a crash, the next
 * run repeats the page, and the new messages get the same ids again. Stops if another process has stored a position
 * since this process read it.
 *
 * @returns false if a later run must continue, or another process has advanced the redelivery
 * @throws UnavailableError
 */
export async function runRedelivery(
  { history, lanes, endpointStates, clock }: DispatchRun,
  { endpointId, redelivery }: EndpointState,
  hasTime: () => boolean,
): Promise<boolean> {
  if (redelivery === undefined) return true;
  const { id, since, requestedAt, includeDelivered } = redelivery;
  for (let { position } = redelivery; hasTime(); ) {
    const page = await history.listSince(endpointId, {
      after: position ?? since,
      until: requestedAt,
      limit: PAGE_SIZE,
    });
    const wanted = page.deliveries.filter((delivery) => {
      const status = effectiveStatus(delivery, clock.now());
      return status === 'failed' || (includeDelivered && status === 'delivered');
    });
    await Promise.all(
      wanted.map(({ orgId, type, seq, ...key }) =>
        lanes.redeliver(key, { orgId, type, seq, redeliveryId: id, atMs: clock.now() }),
      ),
    );
    if (!(await endpointStates.advanceRedelivery(endpointId, { id, position }, page.next))) return false;
    position = page.next;
    if (position === undefined) return true;
  }
  return false;
}
