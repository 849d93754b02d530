import type { Field } from '../../../shared/funnels/funnel.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { paginateLeads } from '../../../shared/leads/paginate-leads.ts';
import type { LeadIndexEntry } from '../../../shared/leads/ports.ts';
import { printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { FunnelLeads } from './dependencies.ts';
import { formatMinute, formatValue } from './format.ts';
import { leadJson } from './lead-json.ts';

export type ListOptions = {
  since?: string;
  until?: string;
  after?: LeadIndexEntry;
  limit: number;
  json?: true;
};

/** The funnel's leads, newest submit first, and how to go on. */
export async function listLeads(of: FunnelLeads, options: ListOptions, { columns, write, note }: Terminal) {
  const { index, funnelId, fields } = of;
  const { since: from, until: to, after, limit } = options;
  const positions: LeadIndexEntry[] = [];
  // One more than is shown tells whether there is more to come.
  for await (const position of paginateLeads(index, {
    funnelId,
    order: 'newest first',
    from,
    to,
    after,
    limit: limit + 1,
  })) {
    positions.push(position);
    if (positions.length > limit) break;
  }
  const shown = positions.slice(0, limit);
  const last = positions.length > limit ? shown.at(-1) : undefined;
  const next = last === undefined ? null : `${last.submittedAt}/${last.leadId}`;
  const leads = await index.getLeads(shown.map(({ leadId }) => ({ funnelId, leadId })));

  if (options.json) {
    return write(`{"leads":[${leads.map((lead) => leadJson(lead)).join(',')}],"next":${JSON.stringify(next)}}\n`);
  }
  // Those that have expired meanwhile are left out: there may be others behind them.
  if (leads.length === 0 && next === null)
    return note(after === undefined ? 'There are no such leads.' : 'There are no more leads.');
  const layout = { head: ['LEAD', 'LAST SUBMIT, UTC', 'WHO'], widths: [36, 16], columns };
  if (leads.length > 0)
    await write(
      formatTable(
        layout,
        leads.map((lead) => rowOf(lead, fields)),
      ),
    );
  if (next !== null) note(`\nThe next ones: the same command with --after ${next}`);
}

function rowOf(lead: Lead, fields: readonly Field[]): string[] {
  const { firstSubmittedAt, submittedAt, steps } = lead;
  const times = [
    formatMinute(submittedAt),
    ...(formatMinute(firstSubmittedAt) === formatMinute(submittedAt)
      ? []
      : [`first ${formatMinute(firstSubmittedAt).slice(0, 10)}`]),
    ...(steps.length === 0 ? [] : [steps.length === 1 ? '1 step' : `${steps.length} steps`]),
  ];
  return [lead.leadId, times.join('\n'), identityOf(lead, fields).join('\n')];
}

const LINES_MAX = 4;
const CHARACTERS_MAX = 80;
const NAMES_A_PERSON = /name|company|firma/i;
const IS_CONTACT = /mail|phone/i;

/** What tells the person: names first, then contacts, each with whether it is verified. */
export function identityOf({ data, verified }: Lead, fields: readonly Field[]): string[] {
  const typeOf = new Map(fields.map(({ id, type }) => [id, type]));
  const isVerified = new Set(verified.map(({ field }) => field));
  const rank = (key: string): number => {
    const type = typeOf.get(key);
    if (type === 'email' || type === 'phone') return 1;
    if (type !== undefined && type !== 'text') return 9;
    if (NAMES_A_PERSON.test(key)) return 0;
    return type === undefined && IS_CONTACT.test(key) ? 1 : 9;
  };
  return [...data]
    .map(([key, json]) => ({ rank: rank(key), text: cut(formatValue(json)), verified: isVerified.has(key) }))
    .filter((one) => one.rank < 9)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, LINES_MAX)
    .map(({ text, verified: mark }) => (mark ? `${text} ✓` : text));
}

function cut(text: string): string {
  const characters = [...printableLine(text)];
  return characters.length > CHARACTERS_MAX ? `${characters.slice(0, CHARACTERS_MAX).join('')}…` : characters.join('');
}
