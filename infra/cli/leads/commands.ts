import { paginateLeads } from '../../../shared/leads/paginate-leads.ts';
import type { LeadIndexEntry } from '../../../shared/leads/ports.ts';
import { UserError } from '../../common/user-error.ts';
import { requireFunnelIds } from '../privacy/dependencies.ts';
import { parseEmail, parsePhone } from '../privacy/person-options.ts';
import { choiceWithDefault, command, flag, group, option, optionWithDefault, usageError } from '../program/command.ts';
import {
  checkTimeRange,
  funnelArgument,
  idArgument,
  organizationArgument,
  parseCount,
  parseUuid,
  timeRange,
} from '../program/parameters.ts';
import { formatCount, formatMinute } from '../terminal/format.ts';
import { RawJson, Rendered, table } from '../terminal/output.ts';
import { requireFunnelLeads, searchPorts } from './dependencies.ts';
import { exportTo } from './export.ts';
import { leadJson } from './lead-json.ts';
import { identityOf, type Lead, leadText } from './lead-text.ts';
import { searchLeads } from './search.ts';

const limit = optionWithDefault('--limit <count>', 'maximum number of leads, 1 to 1000', parseCount(1, 1_000), 50);

const POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\/([0-9a-f-]{36})$/;

function parsePosition(given: string): LeadIndexEntry {
  const [, submittedAt, leadId] = POSITION.exec(given) ?? [];
  if (submittedAt === undefined || leadId === undefined || Number.isNaN(Date.parse(submittedAt))) {
    throw usageError('Give the position that an earlier "leads list" printed.');
  }
  return { submittedAt, leadId };
}

const list = command({
  name: 'list',
  description: 'Lists leads, latest submit first, with their names and contact fields. ✓ marks a verified value.',
  args: { funnelId: funnelArgument },
  options: {
    ...timeRange,
    limit,
    after: option(
      '--after <position>',
      'continue after this position, which an earlier "leads list" printed',
      parsePosition,
    ),
  },
  json: 'one JSON object: `leads`, and `next`, the position for --after (null at the end)',
  check: checkTimeRange,
  run: async ({ funnelId, since: from, until: to, after, limit: max }) => {
    const { index, fields } = await requireFunnelLeads(funnelId);
    const entries: LeadIndexEntry[] = [];
    // Reads one more entry than is shown, to detect whether there are more entries.
    const query = { funnelId, order: 'newest first', from, to, after, limit: max + 1 } as const;
    for await (const entry of paginateLeads(index, query)) if (entries.push(entry) > max) break;
    const shown = entries.slice(0, max);
    const last = entries.length > max ? shown.at(-1) : undefined;
    const next = last === undefined ? null : `${last.submittedAt}/${last.leadId}`;
    // `getLeads` omits expired leads, so a page can be empty although more pages follow.
    const leads = await index.getLeads(shown.map(({ leadId }) => ({ funnelId, leadId })));
    const columns = [
      { head: 'LEAD', width: 36, value: ({ leadId }: Lead) => leadId },
      { head: 'LAST SUBMIT, UTC', width: 16, value: submitLines },
      { head: 'CONTACT', value: (lead: Lead) => identityOf(lead, fields) },
    ];
    const empty = after === undefined ? 'No leads were found.' : 'There are no more leads.';
    return {
      json: new RawJson(`{"leads":[${leads.map((lead) => leadJson(lead)).join(',')}],"next":${JSON.stringify(next)}}`),
      text: table(leads, columns, next === null ? empty : undefined),
      hints: next === null ? [] : [`Next page: repeat the command with --after ${next}`],
    };
  },
});

function submitLines({ firstSubmittedAt, submittedAt, steps }: Lead): string[] {
  const [first, last] = [formatMinute(firstSubmittedAt), formatMinute(submittedAt)];
  return [
    last,
    ...(first === last ? [] : [`first ${first.slice(0, 10)}`]),
    ...(steps.length === 0 ? [] : [formatCount(steps.length, 'step')]),
  ];
}

function parseText(given: string): string {
  if (given.trim() === '') throw usageError('Give a text that is not empty.');
  return given.trim();
}

const search = command({
  name: 'search',
  description: 'Finds leads of an organization by e-mail address, phone number or name, latest submit first.',
  args: { orgId: organizationArgument },
  options: {
    email: option('--email <address>', 'find leads with a value that equals this address; case is ignored', parseEmail),
    phone: option(
      '--phone <number>',
      'find leads with a value that is this number in any format; give the number with + or 00 and the country code',
      parsePhone,
    ),
    name: option(
      '--name <text>',
      'find leads with a value, in any field, that contains this text; case is ignored',
      parseText,
    ),
    funnel: option(
      '--funnel <id>',
      'search only the funnel with this id (default: all funnels of the organization)',
      parseUuid('funnel'),
    ),
    ...timeRange,
    limit,
  },
  help: 'Give exactly one of --email, --phone and --name.',
  json:
    'one JSON object: `leads`, `hasMore` (whether more leads match than --limit allows), `leadsSearched` (number of ' +
    'leads that were searched)',
  check: (input) =>
    checkTimeRange(input) ??
    ([input.email, input.phone, input.name].filter((one) => one !== undefined).length === 1
      ? undefined
      : 'give exactly one of --email, --phone and --name'),
  run: async ({ orgId, funnel, ...criteria }) => {
    const ports = searchPorts();
    const funnelIds = await requireFunnelIds(ports, orgId, funnel);
    const { leads, hasMore, leadsSearched } = await searchLeads(ports, funnelIds, criteria);
    const columns = [
      { head: 'FUNNEL', width: 36, value: ({ funnelId }: Lead) => funnelId },
      { head: 'LEAD', width: 36, value: ({ leadId }: Lead) => leadId },
      { head: 'LAST SUBMIT, UTC', width: 16, value: ({ submittedAt }: Lead) => formatMinute(submittedAt) },
      { head: 'CONTACT', value: (lead: Lead) => identityOf(lead, []) },
    ];
    const searched = `${formatCount(leadsSearched, 'lead')} in ${formatCount(funnelIds.length, 'funnel')}`;
    const more = 'More leads match: narrow the search with --funnel or --since, or raise --limit.';
    const raw = leads.map((lead) => leadJson(lead)).join(',');
    return {
      json: new RawJson(`{"leads":[${raw}],"hasMore":${hasMore},"leadsSearched":${leadsSearched}}`),
      text: table(leads, columns),
      hints: [`Found ${formatCount(leads.length, 'lead')}, searched ${searched}.`, ...(hasMore ? [more] : [])],
    };
  },
});

const show = command({
  name: 'show',
  description: 'Shows all stored data of a lead.',
  args: { funnelId: funnelArgument, leadId: idArgument('lead') },
  json: 'one JSON object: the lead',
  run: async ({ funnelId, leadId }) => {
    const { index, fields } = await requireFunnelLeads(funnelId);
    const [lead] = await index.getLeads([{ funnelId, leadId }]);
    if (lead === undefined) throw new UserError(`The funnel ${funnelId} has no lead ${leadId}: see "leads list".`);
    return { json: new RawJson(leadJson(lead)), text: new Rendered(leadText(lead, fields)) };
  },
});

function parseNames(given: string): string[] {
  const names = given.split(',').map((name) => name.trim());
  const found = names.filter((name) => name !== '');
  if (found.length === 0) throw usageError('Give the names of fields, separated by commas.');
  return [...new Set(found)];
}

const exportAll = command({
  name: 'export',
  description: 'Exports the leads of a funnel, each exactly once, even if leads are submitted during the export.',
  args: { funnelId: funnelArgument },
  options: {
    format: choiceWithDefault('--format <format>', 'CSV, or one line of JSON per lead', ['csv', 'jsonl'], 'csv'),
    out: option('--out <file>', 'output file (default: the standard output)'),
    ...timeRange,
    fields: option(
      '--fields <names>',
      'of the data of each lead, export only the fields with these ids, separated by commas (default: all fields); ' +
        'the column FIELD of "leads show" lists the ids',
      parseNames,
    ),
    raw: flag(
      '--raw',
      'CSV: write cells unchanged (default: put an apostrophe before a cell that a spreadsheet would run as a formula)',
    ),
    yes: flag('--yes', 'if the file of --out exists, overwrite it without confirmation'),
    bom: flag('--bom', 'CSV: begin with a byte order mark, which Excel needs to detect UTF-8'),
  },
  help: `Leads are ordered by their latest submit, oldest first. Two kinds of leads
are at the end, in no order: leads that were submitted during the export, and
leads whose latest submit was at most 10 seconds before the funnel's latest
submit.
npm itself also prints to the standard output. To write only the leads to a
pipe, use npm with -s:
  npm run -s admin -- leads export <funnel> | …`,
  check: checkTimeRange,
  run: async ({ funnelId, ...options }, context) => exportTo(await requireFunnelLeads(funnelId), options, context),
});

export const leads = group('leads', 'Leads of funnels: list, search, show and export them.', [
  ...[list, search, show, exportAll],
]);
