import type { ContactSearch } from '../../../shared/analytics/raw-events/ports.ts';
import type { FunnelHistoryRepository } from '../../../shared/funnels/ports.ts';
import { paginateErasingLeads } from '../../../shared/leads/paginate-leads.ts';
import type { LeadIndexReader } from '../../../shared/leads/ports.ts';
import { leadBatches } from '../leads/lead-batches.ts';
import { createContactSearch } from './contact-search.ts';
import { createLeadDataMatcher, listCountries, type PersonIdentifier } from './person-identifier.ts';

export type FindPersonPorts = {
  funnels: FunnelHistoryRepository;
  /** Also reads leads that have expired or are being erased, as long as a part of them is stored. */
  index: LeadIndexReader;
  /** Waits as long as a write may take to be visible in the index. */
  waitForIndex(): Promise<void>;
};

/** A person, or one lead by its id. */
export type PersonSubject = PersonIdentifier | { leadId: string };

export type PersonMatches = {
  funnelId: string;
  leadsSearched: number;
  leadIds: readonly string[];
  /** Finds the person in events; undefined if the search is for a lead id. */
  contact?: ContactSearch | undefined;
};

/**
 * Finds the leads of a person in each of these funnels, including leads that are submitted during the search. Memory
 * holds a few batches of leads, and the ids of found and recent leads.
 */
export async function findPerson(
  ports: FindPersonPorts,
  funnelIds: readonly string[],
  subject: PersonSubject,
): Promise<PersonMatches[]> {
  const found: PersonMatches[] = [];
  for (const funnelId of funnelIds) {
    found.push(
      'leadId' in subject
        ? await findLead(ports, funnelId, subject.leadId)
        : await findLeadsNaming(ports, funnelId, subject),
    );
  }
  return found;
}

async function findLead({ index }: FindPersonPorts, funnelId: string, leadId: string): Promise<PersonMatches> {
  const found = await index.getLeads([{ funnelId, leadId }]);
  return { funnelId, leadsSearched: found.length, leadIds: found.map((lead) => lead.leadId) };
}

/**
 * Finds the leads that contain the person's address or number. If a lead is submitted during the search, checks the
 * lead again, because the submit may have added the address or number.
 */
async function findLeadsNaming(
  ports: FindPersonPorts,
  funnelId: string,
  person: PersonIdentifier,
): Promise<PersonMatches> {
  const countries = listCountries(await ports.funnels.listVersions(funnelId));
  const isNamed = createLeadDataMatcher(person, countries);
  const [found, recent] = [new Set<string>(), new Set<string>()];
  let [leadsSearched, isRecent] = [0, false];
  // The ids fit into memory, because only few leads are being erased at a time.
  const erasing: { funnelId: string; leadId: string }[] = [];
  for await (const { leadId } of paginateErasingLeads(ports.index, { funnelId })) erasing.push({ funnelId, leadId });
  for (const { leadId, data } of await ports.index.getLeads(erasing)) {
    leadsSearched++;
    recent.add(leadId);
    if (isNamed(data)) found.add(leadId);
  }
  const exported = {
    add: async () => undefined,
    removeFrom: async () => {
      isRecent = true;
    },
  };
  for await (const leads of leadBatches({ ...ports, exported }, funnelId)) {
    for (const { leadId, data } of leads) {
      if (!recent.has(leadId)) leadsSearched++;
      if (isRecent) recent.add(leadId);
      if (isNamed(data)) found.add(leadId);
    }
  }
  return { funnelId, leadsSearched, leadIds: [...found], contact: createContactSearch(person, countries) };
}
