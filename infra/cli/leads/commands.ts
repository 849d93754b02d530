import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LeadIndexEntry } from '../../../shared/leads/ports.ts';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { addErase, addExportPerson } from '../privacy/commands.ts';
import { findStores, funnelsOf } from '../privacy/dependencies.ts';
import { emailOf, phoneOf } from '../privacy/person-options.ts';
import { parseCount, parseSince, parseUntil, parseUuid, requireOrder } from '../program/options.ts';
import { leadsOf } from './dependencies.ts';
import { type ExportOptions, exportTo } from './export.ts';
import { type ListOptions, listLeads } from './list.ts';
import { type SearchOptions, searchLeads } from './search.ts';
import { showLead } from './show.ts';

const FUNNEL = 'id of the funnel';
const SINCE = 'only leads last submitted from then on: a day of UTC, an instant, or an age such as 7d or 12h';
const UNTIL = 'only leads last submitted before then, or up to the end of that day';

/** `leads list|search|show|export|erase|export-person`: leads, for the people who answer them. */
export const leads: CommandGroup = (program, admin) => {
  const group = program
    .command('leads')
    .description('Leads of funnels: list, search, show and export them; erase a person, or export what is kept of one.')
    .helpCommand(false);
  addList(group, admin);
  addSearch(group, admin);
  addShow(group, admin);
  addExport(group, admin);
  addErase(group, admin);
  addExportPerson(group, admin);
};

function addList(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('list')
    .description('Lists leads, newest submit first, with what tells the person; ✓: verified by a code.')
    .argument('<funnel>', FUNNEL, parseUuid('funnel'))
    .option('--since <time>', SINCE, parseSince)
    .option('--until <time>', UNTIL, parseUntil)
    .option('--limit <count>', 'how many', parseCount(1, 1_000), 50)
    .option('--after <position>', 'goes on where an earlier list ended', positionOf)
    .option('--json', 'one JSON object: `leads`, and `next` for --after')
    .action(async (funnelId: string, _, command: Command) => {
      requireOrder(command);
      const options = command.optsWithGlobals<EnvironmentOptions & ListOptions>();
      await connect(options);
      await listLeads(await leadsOf(funnelId), options, terminal);
    });
}

function addSearch(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('search')
    .description("Finds leads in all of an organization's funnels, newest submit first.")
    .argument('<organization>', 'id of the organization', parseUuid('organization'))
    .option('--email <address>', 'leads that hold this address as a whole value, in any case', emailOf)
    .option('--phone <number>', 'leads that hold this number, however it is written', phoneOf)
    .option('--name <text>', 'leads with this text within any value, in any case', textOf)
    .option('--funnel <id>', 'only in this funnel', parseUuid('funnel'))
    .option('--since <time>', SINCE, parseSince)
    .option('--until <time>', UNTIL, parseUntil)
    .option('--limit <count>', 'how many', parseCount(1, 1_000), 50)
    .option('--json', 'one JSON object: `leads` with their funnels, `hasMore`, and `lookedAt`')
    .action(async (orgId: string, _, command: Command) => {
      requireOrder(command);
      const options = command.optsWithGlobals<EnvironmentOptions & SearchOptions>();
      const given = [options.email, options.phone, options.name].filter((one) => one !== undefined);
      if (given.length !== 1) command.error('error: Give --email, --phone or --name: one of them.');
      const { indexDelayMs } = await connect(options);
      const ports = findStores(indexDelayMs);
      await searchLeads(ports, await funnelsOf(ports, orgId, options.funnel), options, terminal);
    });
}

function textOf(given: string): string {
  if (given.trim() === '') throw new InvalidArgumentError('Give some text.');
  return given.trim();
}

function addShow(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('show')
    .description('Shows everything that is kept of a lead.')
    .argument('<funnel>', FUNNEL, parseUuid('funnel'))
    .argument('<lead>', 'id of the lead', parseUuid('lead'))
    .option('--json', 'one JSON object')
    .action(async (funnelId: string, leadId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await showLead(await leadsOf(funnelId), leadId, options, terminal);
    });
}

function addExport(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('export')
    .description('Writes all leads, oldest submit first, each once, also those submitted meanwhile.')
    .argument('<funnel>', FUNNEL, parseUuid('funnel'))
    .addOption(
      new Option('--format <format>', 'CSV, or a line of JSON a lead').choices(['csv', 'jsonl']).default('csv'),
    )
    .option('--out <file>', 'where to; without it, to the standard output')
    .option('--since <time>', SINCE, parseSince)
    .option('--until <time>', UNTIL, parseUntil)
    .option('--fields <names>', 'only these fields of the data, between commas', namesOf)
    .option('--raw', 'CSV: no apostrophe before cells that a spreadsheet would run as formulas')
    .option('--yes', 'overwrites the file of --out without asking')
    .option('--bom', 'CSV: begins with a byte order mark, by which Excel tells UTF-8')
    .addHelpText('after', "\nInto a pipe without npm's own lines: npm run -s admin -- leads export <funnel> | …")
    .action(async (funnelId: string, _, command: Command) => {
      requireOrder(command);
      const options = command.optsWithGlobals<EnvironmentOptions & ExportOptions>();
      const { indexDelayMs } = await connect(options);
      await exportTo(await leadsOf(funnelId), options, indexDelayMs, terminal);
    });
}

const POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\/([0-9a-f-]{36})$/;

function positionOf(given: string): LeadIndexEntry {
  const [, submittedAt, leadId] = POSITION.exec(given) ?? [];
  if (submittedAt === undefined || leadId === undefined || Number.isNaN(Date.parse(submittedAt))) {
    throw new InvalidArgumentError('Give what an earlier list ended with.');
  }
  return { submittedAt, leadId };
}

function namesOf(given: string): string[] {
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new InvalidArgumentError('Give the names of fields, with commas between them.');
  return [...new Set(names)];
}
