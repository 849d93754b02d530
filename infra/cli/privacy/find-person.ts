import type { ContactSearch } from '../../../shared/analytics/raw-events/raw-event-store.ts';
import type { FunnelHistoryRepository } from '../../../shared/funnels/ports.ts';
import { paginateErasingLeads } from '../../../shared/leads/paginate-leads.ts';
import type { LeadIndexReader } from '../../../shared/leads/ports.ts';
import { exportLeads } from '../leads/export-leads.ts';
import { createContactSearch } from './contact-search.ts';
import { createLeadDataMatcher, listCountries, type PersonIdentifier } from './person-identifier.ts';

export type FindPersonPorts = {
  funnels: FunnelHistoryRepository;
  /** With leads that have expired or are being erased, as long as anything of them is stored. */
  index: LeadIndexReader;
  /** Waits as long as a write may take to show in the index. */
  waitForIndex(): Promise<void>;
};

/** Whom an operator asks for. */
export type FindPersonInput = {
  orgId: string;
  /** A person, or one lead by its id, which needs a funnel. */
  subject: PersonIdentifier | { leadId: string };
  /** Only in this funnel. */
  funnelId?: string | undefined;
};

/** What was found in one funnel. */
export type PersonMatches = {
  funnelId: string;
  leadsSearched: number;
  leadIds: readonly string[];
  /** Finds the person in raw events; undefined when one lead was asked for. */
  contact?: ContactSearch | undefined;
};

/** The organization has no such funnel. */
export class UnknownFunnelError extends Error {}

/**
 * The leads that name a person, funnel by funnel, archived ones too; also those that are submitted while it looks. Of
 * any number of leads it holds the ids of those found alone.
 *
 * @throws UnknownFunnel before anything is looked at
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

/** What is submitted meanwhile is looked at again, wherever it was before: the address may be what was added. */
async function leadsNaming(ports: FindPersonPorts, funnelId: string, person: PersonIdentifier): Promise<PersonMatches> {
  const countries = listCountries(await ports.funnels.listVersions(funnelId));
  const isNamed = createLeadDataMatcher(person, countries);
  const [found, recent] = [new Set<string>(), new Set<string>()];
  let [lookedAt, isRecent] = [0, false];
  // Few: those that an erasure has come to and not ended.
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
