import { randomUUID } from 'node:crypto';
import { bindPage } from '../../../infra/cli/domains/bind-page.ts';
import {
  createDynamoHostnameReservationRepository,
  createDynamoNewDomainRepository,
} from '../../../infra/cli/domains/dynamo-domain-admin-repository.ts';
import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { createDynamoHostnameRepository } from '../../../shared/domains/aws/dynamo-hostname-repository.ts';
import { createDynamoRemovalRequestRepository } from '../../../shared/domains/aws/dynamo-removal-request-repository.ts';
import type { CustomDomain, DomainIds } from '../../../shared/domains/domain.ts';
import { requestRemoval } from '../../../shared/domains/request-removal.ts';
import { runRemoval } from '../../../shared/domains/run-removal.ts';
import { sweepDomains } from '../../../shared/domains/sweep-domains.ts';
import { createDynamoPageBindingRepository } from '../../../shared/landing-pages/aws/dynamo-page-binding-repository.ts';
import { pageKey } from '../../../shared/landing-pages/aws/keys.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { type Around, effects } from '../training/lifecycle.ts';
import { aDomain, NOON, putRecord } from './domains.ts';
import { memoryEdge } from './memory-cdn-provider.ts';
import { type DomainStores, memoryDomains } from './memory-domains.ts';

/** The deployed adapters of the directory table. */
export function dynamoStores(): DomainStores {
  const add = (orgId: string, pageId: string, domainId: string | null) =>
    putRecord(pageKey(orgId, pageId), { id: pageId, orgId, domainId });
  return {
    domains: { ...createDynamoDomainRepository(), ...createDynamoNewDomainRepository() },
    requests: createDynamoRemovalRequestRepository(),
    hostnames: { ...createDynamoHostnameReservationRepository(), ...createDynamoHostnameRepository() },
    pages: { ...createDynamoPageBindingRepository(), add },
  };
}

export const STORES = { 'in memory': memoryDomains, 'in DynamoDB': dynamoStores } as const;

type Settings = { stores?: DomainStores; polls?: number; hasEdge?: boolean };

/**
 * Creates everything that domains depend on: the directory, the edge, and a queue. The queue contains the domains for
 * which the removal function was invoked.
 */
export function domainWorld({ stores = memoryDomains(), polls = 2, hasEdge = true }: Settings = {}) {
  const clock = { ms: NOON, now: () => clock.ms };
  const atEdge = memoryEdge({ polls });
  const queue: DomainIds[] = [];
  const faults: string[] = [];
  /** Domains whose webhook messages were erased. */
  const erasedMessages = new Set<string>();
  const counts = new Map<string, number>();
  const log: Logger = {
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    recordMetric: (metric, value = 1) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
  };
  const hostnames = { ...stores.hostnames, release: watchedRelease(stores, atEdge, faults) };
  const start = async (ids: DomainIds) => void queue.push(ids);

  const processOf = (around: Around = (_effect, work) => work()) => {
    const ports = {
      domains: effects('domains', stores.domains, around),
      hostnames: effects('hostnames', hostnames, around),
      pages: effects('pages', stores.pages, around),
      deliveries: effects(
        'deliveries',
        { erase: async ({ domainId }: DomainIds) => void erasedMessages.add(domainId) },
        around,
      ),
      edge: () => (hasEdge ? effects('edge', atEdge.edge, around) : undefined),
      clock,
      log,
    };
    const requests = effects('requests', stores.requests, around);
    const { start: starts } = effects('lambda', { start }, around);
    return {
      request: (ids: DomainIds) => requestRemoval({ domains: requests, start: starts, clock }, ids, log),
      remove: (ids: DomainIds) => runRemoval(ports, ids),
      sweep: () => sweepDomains(ports),
      bind: (ids: DomainIds, pageId: string) => bindPage(ports, ids, pageId),
    };
  };
  return { ...stores, hostnames, clock, atEdge, queue, faults, erasedMessages, counts, log, processOf };
}
export type DomainWorld = ReturnType<typeof domainWorld>;

/**
 * Releases a hostname. Records a fault if its domain is not being removed, or still has a page, a tenant or a
 * certificate.
 */
function watchedRelease(
  { hostnames, pages, domains }: DomainStores,
  edge: ReturnType<typeof memoryEdge>,
  faults: string[],
) {
  return async (hostname: string, domainId: string): Promise<void> => {
    const holder = await hostnames.findReservation(hostname);
    await hostnames.release(hostname, domainId);
    if (holder === undefined || holder.domainId !== domainId) return;
    const domain = await domains.find(holder);
    if (domain?.status !== 'removing') faults.push(`the hostname of a domain that is ${domain?.status} was released`);
    if ((await pages.listPageIds(holder)).length > 0)
      faults.push('the hostname of a domain that a page names was released');
    if ([...edge.tenants.values()].some((tenant) => tenant.domainId === domainId))
      faults.push('the hostname of a domain with a tenant was released');
    if (edge.certificates.size > 0) faults.push('a hostname was released before its certificate was deleted');
  };
}

/** Creates a domain with its hostname reservation and pages. If the domain is active, the edge serves it. */
export async function aServedDomain(
  world: DomainWorld,
  overrides: Partial<CustomDomain> = {},
  pages = 2,
): Promise<CustomDomain> {
  const domain = aDomain(overrides);
  const served = domain.status === 'active' ? world.atEdge.serve(domain.id, domain.hostname) : {};
  const pageIds = Array.from({ length: pages }, () => randomUUID());
  const whole = { ...domain, ...served, pageIds };
  const ids = { orgId: domain.orgId, domainId: domain.id };
  for (const pageId of pageIds) await world.pages.add(domain.orgId, pageId, domain.id);
  await world.hostnames.reserve(domain.hostname, { ...ids, reservedAt: domain.createdAt });
  await world.domains.create(whole);
  return whole;
}
