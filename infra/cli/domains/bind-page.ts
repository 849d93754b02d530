import type { CustomDomain, DomainIds } from '../../../shared/domains/domain.ts';
import type { DomainRepository, PageBindingRepository } from '../../../shared/domains/ports.ts';
import { nextRemovalHold, releaseRemovalHold } from '../../../shared/domains/removal-hold.ts';
import { BINDING_HOLD_MS } from '../../../shared/domains/schedule.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { DOMAIN_BEING_REMOVED, unknownDomain } from './verify-domain.ts';

export type BindPagePorts = {
  domains: Pick<DomainRepository, 'find' | 'update'>;
  pages: Pick<PageBindingRepository, 'bind' | 'unbind'>;
  clock: Clock;
};

/** Changes between the read and the write of a domain are rare, so a few attempts are enough. */
const ATTEMPTS = 5;
const PAGES_MAX = 1_000;

/**
 * Binds a page to a domain, which then shows the page. Sets a removal hold on the domain first, so that a concurrent
 * removal waits until the page is bound.
 *
 * @throws Error with a message if the page can't be bound
 */
export async function bindPage(ports: BindPagePorts, ids: DomainIds, pageId: string): Promise<CustomDomain> {
  const { clock, pages } = ports;
  const startedMs = clock.now();
  const { before, after } = await changedDomain(ports, ids, (domain) => ({
    pageIds: withPage(domain, pageId),
    removalHoldUntil: nextRemovalHold(domain, startedMs, BINDING_HOLD_MS),
  }));
  // At least half of the hold must be left for writing the binding.
  if (clock.now() > startedMs + BINDING_HOLD_MS / 2)
    throw new Error(`DynamoDB responds too slowly: the page ${pageId} was not bound. Run the command again.`);
  const bound = await pages.bind(ids, pageId);
  const now = await releaseRemovalHold(ports, ids, {
    removalHoldUntil: after.removalHoldUntil,
    before: before.removalHoldUntil,
  });
  if (now === undefined || now.status === 'removing') {
    // The removal may have unbound the domain's pages before this page was bound. Therefore, unbind this page here.
    await pages.unbind(ids, pageId);
    throw new Error(DOMAIN_BEING_REMOVED);
  }
  if (bound === 'bound') return now;
  await changedDomain(ports, ids, without(pageId));
  if (bound === 'not_found') throw new Error(`The organization has no page ${pageId}: see "pages list".`);
  throw new Error(
    `The page ${pageId} is bound to another domain: find the id of that domain with "pages show", then run ` +
      '"domains unbind".',
  );
}

/**
 * Unbinds a page from a domain. A page that is not bound to the domain stays unchanged.
 *
 * @throws Error with a message if the domain does not exist or is being removed, or after repeated concurrent changes
 */
export async function unbindPage(ports: BindPagePorts, ids: DomainIds, pageId: string): Promise<CustomDomain> {
  await ports.pages.unbind(ids, pageId);
  return (await changedDomain(ports, ids, without(pageId))).after;
}

const without =
  (pageId: string) =>
  ({ pageIds }: CustomDomain) => ({ pageIds: pageIds.filter((id) => id !== pageId) });

function withPage({ pageIds }: CustomDomain, pageId: string): string[] {
  const all = [...new Set([...pageIds, pageId])];
  if (all.length > PAGES_MAX)
    throw new Error(`The domain already has ${PAGES_MAX} pages, the maximum: unbind a page first.`);
  return all;
}

async function changedDomain(
  { domains }: BindPagePorts,
  ids: DomainIds,
  changesOf: (domain: CustomDomain) => Parameters<DomainRepository['update']>[1],
): Promise<{ before: CustomDomain; after: CustomDomain }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await domains.find(ids);
    if (before === undefined) throw unknownDomain(ids);
    if (before.status === 'removing') throw new Error(DOMAIN_BEING_REMOVED);
    const after = await domains.update(before, changesOf(before));
    if (after !== undefined) return { before, after };
  }
  throw new Error(`Other processes changed the domain ${ids.domainId} at the same time: try again.`);
}
