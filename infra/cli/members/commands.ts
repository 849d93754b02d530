import { type Command, Option } from 'commander';
import { ROLES } from '../../../shared/organizations/membership.ts';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { onOrganization } from '../program/organization-argument.ts';
import { type AddOptions, add, type ChangeOptions, change, list, type RemoveOptions, remove } from './members.ts';
import { requireWho, withWho } from './user-options.ts';

const JSON_ONE = 'one JSON object';
const FORCE = 'takes the last owner too';
const ROLE_TEXT = `
member: reads, and opens training sessions. admin: makes and removes what the
organization has. owner: as admin; an organization keeps at least one.`;

const roleOption = () => new Option('--role <role>', 'what they may do').choices(ROLES).makeOptionMandatory();

/** `members add|list|change|remove`: who may act for an organization. */
export const members: CommandGroup = (program, admin) => {
  const group = program
    .command('members')
    .description('Who may act for an organization: add, list, change and remove them.')
    .helpCommand(false);
  addAdd(group, admin);
  addList(group, admin);
  addChange(group, admin);
  addRemove(group, admin);
};

function addAdd(group: Command, { terminal, connect }: CliContext): void {
  withWho(onOrganization(group, 'add', 'Gives a user a role in an organization, from the next request on.'))
    .addOption(roleOption())
    .option('--json', JSON_ONE)
    .addHelpText('after', ROLE_TEXT)
    .action(async (orgId: string, _, command: Command) => {
      requireWho(command);
      const options = command.optsWithGlobals<EnvironmentOptions & AddOptions>();
      await connect(options);
      await add(orgId, options, terminal);
    });
}

function addList(group: Command, { terminal, connect }: CliContext): void {
  onOrganization(group, 'list', 'Lists members, owners first.')
    .option('--json', 'one JSON object: `members`')
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await list(orgId, options, terminal);
    });
}

function addChange(group: Command, { terminal, connect }: CliContext): void {
  withWho(onOrganization(group, 'change', 'Gives a member another role, from the next request on.'))
    .addOption(roleOption())
    .option('--force', FORCE)
    .option('--json', JSON_ONE)
    .addHelpText('after', ROLE_TEXT)
    .action(async (orgId: string, _, command: Command) => {
      requireWho(command);
      const options = command.optsWithGlobals<EnvironmentOptions & ChangeOptions>();
      await connect(options);
      await change(orgId, options, terminal);
    });
}

function addRemove(group: Command, { terminal, connect }: CliContext): void {
  withWho(onOrganization(group, 'remove', 'Ends a membership: the next request with their token is refused.'))
    .option('--force', FORCE)
    .option('--yes', 'goes on without asking')
    .option('--json', JSON_ONE)
    .action(async (orgId: string, _, command: Command) => {
      requireWho(command);
      const options = command.optsWithGlobals<EnvironmentOptions & RemoveOptions>();
      await connect(options);
      await remove(orgId, options, terminal);
    });
}
