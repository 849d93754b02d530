import type { Lead } from '../../../shared/leads/lead.ts';
import { paginateLeads } from '../../../shared/leads/paginate-leads.ts';
import type { LeadIndexReader } from '../../../shared/leads/ports.ts';
import type { FindPersonPorts } from '../privacy/find-person.ts';
import { createLeadDataMatcher, listCountries, type PersonIdentifier } from '../privacy/person-identifier.ts';
import { formatCount } from '../terminal/format.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatMinute } from './format.ts';
import { leadJson } from './lead-json.ts';
import { identityOf } from './list.ts';

export type SearchOptions = {
  email?: PersonIdentifier;
  phone?: PersonIdentifier;
  name?: string;
  funnel?: string;
  since?: string;
  until?: string;
  limit: number;
  json?: true;
};

type Ports = Pick<FindPersonPorts, 'funnels'> & { index: LeadIndexReader };
type Test = (data: Lead['data']) => boolean;

/** As many records as are read at once. */
const BATCH = 500;

/** Lists the leads that match, newest submit first, of one funnel or of all. There is no index of values: it reads every lead. */
export async function searchLeads(
  ports: Ports,
  funnelIds: readonly string[],
  options: SearchOptions,
  { columns, write, note }: Terminal,
): Promise<void> {
  const found: Lead[] = [];
  let lookedAt = 0;
  for (const funnelId of funnelIds) {
    const matches = matcherOf(options, listCountries(await ports.funnels.listVersions(funnelId)));
    let inFunnel = 0;
    for await (const lead of newestFirst(ports.index, funnelId, options)) {
      lookedAt++;
      if (!matches(lead.data)) continue;
      found.push(lead);
      // One more than is shown tells whether there are more.
      if (++inFunnel > options.limit) break;
    }
  }
  found.sort((one, other) => (one.submittedAt > other.submittedAt ? -1 : 1));
  const shown = found.slice(0, options.limit);
  const hasMore = found.length > shown.length;
  if (options.json) {
    const leads = shown.map((lead) => leadJson(lead)).join(',');
    return write(`{"leads":[${leads}],"hasMore":${hasMore},"lookedAt":${lookedAt}}\n`);
  }
  const layout = { head: ['FUNNEL', 'LEAD', 'LAST SUBMIT, UTC', 'WHO'], widths: [36, 36, 16], columns };
  if (shown.length > 0) await write(formatTable(layout, shown.map(rowOf)));
  note(
    `${formatCount(shown.length, 'lead')} found, ${formatCount(lookedAt, 'lead')} of ${formatCount(funnelIds.length, 'funnel')} read.`,
  );
  if (hasMore) note('There are more: narrow the search with --funnel or --since, or raise --limit.');
}

const rowOf = (lead: Lead): string[] => [
  ...[lead.funnelId, lead.leadId, formatMinute(lead.submittedAt)],
  identityOf(lead, []).join('\n'),
];

async function* newestFirst(index: LeadIndexReader, funnelId: string, { since: from, until: to }: SearchOptions) {
  let batch: { funnelId: string; leadId: string }[] = [];
  for await (const { leadId } of paginateLeads(index, { funnelId, order: 'newest first', from, to })) {
    batch.push({ funnelId, leadId });
    if (batch.length < BATCH) continue;
    yield* await index.getLeads(batch);
    batch = [];
  }
  yield* await index.getLeads(batch);
}

function matcherOf(
  { email, phone, name }: SearchOptions,
  countries: Parameters<typeof createLeadDataMatcher>[1],
): Test {
  const person = email ?? phone;
  if (person !== undefined) return createLeadDataMatcher(person, countries);
  const sought = folded(name ?? '');
  return (data) => [...data.values()].some((json) => folded(textIn(JSON.parse(json))).includes(sought));
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** All strings within a value, on a line each. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? Object.values(value).map(textIn).join('\n') : '';
}
