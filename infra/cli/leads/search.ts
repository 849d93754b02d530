import type { Lead } from '../../../shared/leads/lead.ts';
import { paginateLeads } from '../../../shared/leads/paginate-leads.ts';
import type { LeadIndexReader } from '../../../shared/leads/ports.ts';
import type { FindPersonPorts } from '../privacy/find-person.ts';
import { createLeadDataMatcher, listCountries, type PersonIdentifier } from '../privacy/person-identifier.ts';

type SearchCriteria = {
  email: PersonIdentifier | undefined;
  phone: PersonIdentifier | undefined;
  name: string | undefined;
  since: string | undefined;
  until: string | undefined;
  limit: number;
};

export type SearchPorts = Pick<FindPersonPorts, 'funnels'> & { index: LeadIndexReader };

const READ_BATCH = 500;

/**
 * Returns the leads that match `criteria`, at most `criteria.limit`, sorted by their latest submit, newest first. No
 * index contains the values of leads, so the search reads the leads of each funnel and compares their values.
 */
export async function searchLeads(ports: SearchPorts, funnelIds: readonly string[], criteria: SearchCriteria) {
  const found: Lead[] = [];
  let leadsSearched = 0;
  for (const funnelId of funnelIds) {
    const matches = createMatcher(criteria, listCountries(await ports.funnels.listVersions(funnelId)));
    let inFunnel = 0;
    for await (const lead of newestFirst(ports.index, funnelId, criteria)) {
      leadsSearched++;
      if (!matches(lead.data)) continue;
      found.push(lead);
      // Finds one more lead than is returned, to detect whether there are more leads.
      if (++inFunnel > criteria.limit) break;
    }
  }
  found.sort((one, other) => (one.submittedAt > other.submittedAt ? -1 : 1));
  const leads = found.slice(0, criteria.limit);
  return { leads, hasMore: found.length > leads.length, leadsSearched };
}

async function* newestFirst(index: LeadIndexReader, funnelId: string, { since: from, until: to }: SearchCriteria) {
  let batch: { funnelId: string; leadId: string }[] = [];
  for await (const { leadId } of paginateLeads(index, { funnelId, order: 'newest first', from, to })) {
    batch.push({ funnelId, leadId });
    if (batch.length < READ_BATCH) continue;
    yield* await index.getLeads(batch);
    batch = [];
  }
  yield* await index.getLeads(batch);
}

function createMatcher(
  { email, phone, name }: SearchCriteria,
  countries: Parameters<typeof createLeadDataMatcher>[1],
): (data: Lead['data']) => boolean {
  const person = email ?? phone;
  if (person !== undefined) return createLeadDataMatcher(person, countries);
  const sought = foldCase(name ?? '');
  return (data) => [...data.values()].some((json) => foldCase(stringsIn(JSON.parse(json))).includes(sought));
}

const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();

/** Returns all strings in a value at any depth, separated by line breaks. */
function stringsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? Object.values(value).map(stringsIn).join('\n') : '';
}
