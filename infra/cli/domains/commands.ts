import type { Command } from 'commander';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseUuid } from '../program/options.ts';
import { onOrganization } from '../program/organization-argument.ts';
import { type AddOptions, add, type VerifyOptions, verify } from './claims.ts';
import { bind, list, type RemoveOptions, remove, show } from './domains.ts';

type Options = EnvironmentOptions & { json?: true };

const JSON_ONE = 'one JSON object';

/** `domains add|verify|list|show|bind|unbind|remove`: hostnames of organizations' own. */
export const domains: CommandGroup = (program, admin) => {
  const group = program
    .command('domains')
    .description("Hostnames of organizations' own: add, verify, list, show, bind and remove them.")
    .helpCommand(false);
  addAdd(group, admin);
  addVerify(group, admin);
  addList(group, admin);
  addShow(group, admin);
  addBind(group, admin);
  addRemove(group, admin);
};

const onDomain = (group: Command, name: string, description: string): Command =>
  onOrganization(group, name, description).argument('<domain>', 'id of the domain', parseUuid('domain'));

function addAdd(group: Command, { terminal, connect }: CliContext): void {
  onOrganization(group, 'add', 'Reserves a hostname for 14 days, and tells the DNS record that proves it.')
    .argument('<hostname>', 'in full, as shop.example.com')
    .option('--page <id>', 'a page that is to be shown on it', parseUuid('page'))
    .option('--json', 'one JSON object: the domain, and `record` to make')
    .addHelpText('after', '\nInto a variable: DOMAIN=$(npm run -s admin -- domains add $ORG shop.example.com)')
    .action(async (orgId: string, hostname: string, _, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      await connect(options);
      await add(orgId, hostname, options, terminal);
    });
}

function addVerify(group: Command, { terminal, connect }: CliContext): void {
  onDomain(group, 'verify', 'Looks for that record; a proven hostname is then set up at the edge.')
    .option('--wait', 'shows the set-up until the hostname is served')
    .option('--json', 'one JSON object: `outcome`, `status`, `target`')
    .action(async (orgId: string, domainId: string, _, command: Command) => {
      const options = command.optsWithGlobals<VerifyOptions>();
      await connect(options);
      await verify(orgId, domainId, options, terminal);
    });
}

function addList(group: Command, { terminal, connect }: CliContext): void {
  onOrganization(group, 'list', 'Lists domains by hostname, with those that are being removed.')
    .option('--json', 'one JSON object: `domains`')
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await connect(options);
      await list(orgId, options, terminal);
    });
}

function addShow(group: Command, { terminal, connect }: CliContext): void {
  onDomain(group, 'show', 'Shows a domain, and how far its set-up or removal is.')
    .option('--json', JSON_ONE)
    .action(async (orgId: string, domainId: string, _, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await connect(options);
      await show(orgId, domainId, options, terminal);
    });
}

function addBind(group: Command, { terminal, connect }: CliContext): void {
  const onPage = (name: string, description: string, to: 'bound' | 'unbound') =>
    onDomain(group, name, description)
      .argument('<page>', 'id of the page', parseUuid('page'))
      .option('--json', 'one JSON object: `domainId`, `pageIds`')
      .action(async (orgId: string, domainId: string, pageId: string, _, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        await connect(options);
        await bind(to, { orgId, domainId, pageId }, options, terminal);
      });
  onPage('bind', 'Shows a page of the organization on a domain.', 'bound');
  onPage('unbind', 'Shows a page on a domain no more.', 'unbound');
}

function addRemove(group: Command, { terminal, connect }: CliContext): void {
  onDomain(group, 'remove', 'Removes a domain as the API does: bindings, edge, certificate, and last its hostname.')
    .option('--dry-run', 'tells what would go, and changes nothing')
    .option('--wait', 'shows each step until the hostname is free; also of a removal that is under way')
    .option('--yes', 'goes on without asking')
    .option('--json', 'one JSON object: `id`, `hostname`, `removed`')
    .action(async (orgId: string, domainId: string, _, command: Command) => {
      const options = command.optsWithGlobals<RemoveOptions>();
      await connect(options);
      await remove(orgId, domainId, options, terminal);
    });
}
