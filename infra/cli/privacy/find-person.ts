import type { ContactSearch } from '../../../shared/analytics/raw-events/raw-event-store.ts';
import type { FunnelHistoryRepository } from '../../../shared/funnels/ports.ts';
import { paginateErasingLeads } from '../../../shared/leads/paginate-leads.ts';
import type { LeadIndexReader } from '../../../shared/leads/ports.ts';
import { exportLeads } from '../leads/export-leads.ts';
import { createContactSearch } from './contact-search.ts';
import { createLeadDataMatcher, listCountries, type PersonIdentifier } from './person-identifier.ts';

export type FindPersonPorts = {
  funnels: FunnelHistoryRepository;
  /** Includes leads that have expired or are being erased, as long as anything of them is stored. */
  index: LeadIndexReader;
  /** Waits as long as a write may take to be visible in the index. */
  waitForIndex(): Promise<void>;
};

/** The person that an operator searches for. */
export type FindPersonInput = {
  orgId: string;
  /** A person, or one lead by its id, which needs a funnel. */
  subject: PersonIdentifier | { leadId: string };
  /** Restricts the search to this funnel. */
  funnelId?: string | undefined;
};

/** The matches in one funnel. */
export type PersonMatches = {
  funnelId: string;
  leadsSearched: number;
  leadIds: readonly string[];
  /** Finds the person in raw events; undefined if one lead was requested. */
  contact?: ContactSearch | undefined;
};

/** The organization has no such funnel. */
export class UnknownFunnelError extends Error {}

/**
 * Finds the leads that name a person in each funnel, including archived ones, and leads that are submitted during the
 * search. Memory holds only the ids of the matches.
 *
 * @throws UnknownFunnel before the search begins
 */
export async function* findPerson(ports: FindPersonPorts, asked: FindPersonInput): AsyncGenerator<PersonMatches> {
  const all = await ports.funnels.listFunnelIds(asked.orgId);
  const { funnelId: only, subject: who } = asked;
  if (only !== undefined && !all.includes(only)) throw new UnknownFunnelError();
  for (const funnelId of only === undefined ? all.toSorted() : [only])
    yield 'leadId' in who ? await oneLead(ports, funnelId, who.leadId) : await leadsNaming(ports, funnelId, who);
}

async function oneLead({ index }: FindPersonPorts, funnelId: string, leadId: string): Promise<PersonMatches> {
  const found = await index.getLeads([{ funnelId, leadId }]);
  return { funnelId, leadsSearched: found.length, leadIds: found.map((lead) => lead.leadId) };
}

/**
 * A lead submitted during the search is checked again, even if it was checked before: the submit may have added the
 * address.
 */
async function leadsNaming(ports: FindPersonPorts, funnelId: string, person: PersonIdentifier): Promise<PersonMatches> {
  const countries = listCountries(await ports.funnels.listVersions(funnelId));
  const isNamed = createLeadDataMatcher(person, countries);
  const [found, recent] = [new Set<string>(), new Set<string>()];
  let [lookedAt, isRecent] = [0, false];
  // Few: leads whose erasure has begun and not ended.
  const sealed: { funnelId: string; leadId: string }[] = [];
  for await (const { leadId } of paginateErasingLeads(ports.index, { funnelId })) sealed.push({ funnelId, leadId });
  for (const { leadId, data } of await ports.index.getLeads(sealed)) {
    lookedAt++;
    recent.add(leadId);
    if (isNamed(data)) found.add(leadId);
  }
  const exported = {
    add: async () => undefined,
    removeFrom: async () => {
      isRecent = true;
    },
  };
  for await (const leads of exportLeads({ ...ports, exported }, funnelId)) {
    for (const { leadId, data } of leads) {
      if (!recent.has(leadId)) lookedAt++;
      if (isRecent) recent.add(leadId);
      if (isNamed(data)) found.add(leadId);
    }
  }
  return { funnelId, leadsSearched: lookedAt, leadIds: [...found], contact: createContactSearch(person, countries) };
}
