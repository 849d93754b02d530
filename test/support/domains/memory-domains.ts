import type { AddDomainPorts } from '../../../infra/cli/domains/add-domain.ts';
import type { CustomDomain, DomainIds } from '../../../shared/domains/domain.ts';
import type {
  DomainRepository,
  HostnameRepository,
  HostnameReservation,
  PageBindingRepository,
} from '../../../shared/domains/ports.ts';
import type { RequestRemovalPorts } from '../../../shared/domains/request-removal.ts';
import { isoAt } from './domains.ts';

export type DomainStores = {
  domains: DomainRepository & AddDomainPorts['domains'];
  requests: RequestRemovalPorts['domains'];
  hostnames: HostnameRepository;
  pages: PageBindingRepository & { add(orgId: string, pageId: string, domainId: string | null): Promise<void> };
};

/** The domain items of the directory table, in memory. */
export function memoryDomains(): DomainStores {
  const stored = new Map<string, CustomDomain>();
  const hosts = new Map<string, HostnameReservation>();
  return {
    domains: domainsIn(stored),
    requests: {
      markRemoving: async ({ domainId }, removal, dueAtMs) => {
        const domain = stored.get(domainId);
        if (domain === undefined || domain.status === 'removing') return 'unknown';
        const revision = domain.revision + 1;
        stored.set(domainId, { ...domain, status: 'removing', removal, dueAt: isoAt(dueAtMs), revision });
        return 'marked';
      },
    },
    hostnames: hostnamesIn(hosts),
    pages: memoryPages(),
  };
}

function domainsIn(stored: Map<string, CustomDomain>): DomainStores['domains'] {
  const isSeen = ({ id, revision }: CustomDomain) => stored.get(id)?.revision === revision;
  return {
    find: async ({ domainId }) => stored.get(domainId),
    listDue: async (nowMs, most) =>
      [...stored.values()]
        .filter(({ dueAt }) => dueAt !== null && Date.parse(dueAt) <= nowMs)
        .slice(0, most)
        .map(({ orgId, id }) => ({ orgId, domainId: id })),
    update: async (seen, changes) => {
      if (!isSeen(seen)) return undefined;
      const changed = { ...seen, ...changes, revision: seen.revision + 1 };
      stored.set(seen.id, changed);
      return changed;
    },
    postpone: async ({ domainId }, dueAtMs) => {
      const domain = stored.get(domainId);
      if (domain !== undefined) stored.set(domainId, { ...domain, dueAt: isoAt(dueAtMs) });
    },
    delete: async (seen) => {
      if (isSeen(seen)) stored.delete(seen.id);
    },
    countUpTo: async (orgId, most) =>
      Math.min(most, [...stored.values()].filter((domain) => domain.orgId === orgId).length),
    create: async (domain) => {
      if (stored.has(domain.id)) return false;
      stored.set(domain.id, domain);
      return true;
    },
  };
}

const hostnamesIn = (hosts: Map<string, HostnameReservation>): HostnameRepository => ({
  findReservation: async (hostname) => hosts.get(hostname),
  reserve: async (hostname, reservation) => {
    if (hosts.has(hostname)) return false;
    hosts.set(hostname, reservation);
    return true;
  },
  replaceReservation: async (hostname, from, to) => {
    const held = hosts.get(hostname);
    if (held?.domainId !== from.domainId || held.reservedAt !== from.reservedAt) return false;
    hosts.set(hostname, to);
    return true;
  },
  release: async (hostname, domainId) => {
    if (hosts.get(hostname)?.domainId === domainId) hosts.delete(hostname);
  },
});

function memoryPages(): DomainStores['pages'] {
  const stored = new Map<string, { orgId: string; domainId: string | null }>();
  return {
    listPageIds: async (ids: DomainIds) =>
      [...stored].flatMap(([id, page]) => (page.orgId === ids.orgId && page.domainId === ids.domainId ? [id] : [])),
    bind: async ({ orgId, domainId }, pageId) => {
      const page = stored.get(pageId);
      if (page?.orgId !== orgId) return 'not_found';
      if (page.domainId !== null && page.domainId !== domainId) return 'bound_elsewhere';
      page.domainId = domainId;
      return 'bound';
    },
    unbind: async ({ domainId }, pageId) => {
      const page = stored.get(pageId);
      if (page?.domainId === domainId) page.domainId = null;
    },
    add: async (orgId, pageId, domainId) => void stored.set(pageId, { orgId, domainId }),
  };
}
