import type { Command } from 'commander';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseWith } from '../program/options.ts';
import { onOrganization } from '../program/organization-argument.ts';
import { OrganizationName, TimeZone } from './organization-admin.ts';
import { type ChangeOptions, type CreateOptions, change, create, list, show } from './organizations.ts';

const nameOf = parseWith(OrganizationName, 'Give a name of 1 to 100 characters.');
const zoneOf = parseWith(TimeZone, 'Give a zone of the IANA database such as Europe/Berlin, or UTC.');

const NAME = 'what it is called; visitors read it as the sender of their codes';
const ZONE = 'where its days begin, a zone of the IANA database';

/** `organizations create|list|show|change`: the customers of the service. */
export const organizations: CommandGroup = (program, admin) => {
  const group = program
    .command('organizations')
    .description('Customers of the service: create one, list, show and change them.')
    .helpCommand(false);
  addCreate(group, admin);
  addList(group, admin);
  addShow(group, admin);
  addChange(group, admin);
};

function addCreate(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('create')
    .description('Creates an organization and puts out its id.')
    .requiredOption('--name <text>', NAME, nameOf)
    .option('--timezone <zone>', `${ZONE} (default: UTC)`, zoneOf)
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nInto a variable: ORG=$(npm run -s admin -- organizations create --name "Example Ltd")')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & CreateOptions>();
      await connect(options);
      await create(options, terminal);
    });
}

function addList(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('list')
    .description('Lists organizations by name.')
    .option('--json', 'one JSON object: `organizations`')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await list(options, terminal);
    });
}

function addShow(group: Command, { terminal, connect }: CliContext): void {
  onOrganization(group, 'show', 'Shows an organization, and how many members, funnels, pages and domains it has.')
    .option('--json', 'one JSON object')
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await show(orgId, options, terminal);
    });
}

function addChange(group: Command, { terminal, connect }: CliContext): void {
  onOrganization(
    group,
    'change',
    'Changes what an organization is called, or where its days begin; within 30 seconds all follow.',
  )
    .option('--name <text>', NAME, nameOf)
    .option('--timezone <zone>', ZONE, zoneOf)
    .option('--json', 'one JSON object')
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & ChangeOptions>();
      await connect(options);
      await change(orgId, options, terminal);
    });
}
