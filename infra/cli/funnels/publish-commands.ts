import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseUuid } from '../program/options.ts';
import { onOrganization } from '../program/organization-argument.ts';
import {
  type CreateOptions,
  create,
  type PublishOptions,
  publish,
  type RollBackOptions,
  rollBack,
  unpublish,
} from './publish.ts';

export const FUNNEL = 'id of the funnel';
export const FILE = 'a JSON file; "funnels schema" tells what it holds';

/** Adds what changes what visitors meet: `create|publish|roll-back|unpublish`. */
export function addPublications(group: Command, admin: CliContext): void {
  addCreate(group, admin);
  addPublish(group, admin);
  addRollBack(group, admin);
  addUnpublish(group, admin);
}

function addCreate(group: Command, { terminal, connect }: CliContext): void {
  onOrganization(
    group,
    'create',
    'Makes a funnel of a file and puts out its id. Visitors meet it when it is published.',
  )
    .argument('<file>', FILE)
    .option('--publish', 'publish it at once')
    .option('--yes', 'do not ask, also where there is a funnel of this name')
    .option('--json', 'one JSON object: `id`, `publishedVersionId`')
    .addHelpText('after', '\nInto a variable: FUNNEL=$(npm run -s admin -- funnels create <organization> <file>)')
    .action(async (orgId: string, file: string, _, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      await connect(options);
      await create(orgId, file, options, terminal);
    });
}

function addPublish(group: Command, { terminal, connect }: CliContext): void {
  asked(
    group
      .command('publish')
      .description(
        'Publishes a file as a new version of a funnel and puts out its id. Pages in the field that name their version go on by its rules.',
      )
      .argument('<funnel>', FUNNEL, parseUuid('funnel'))
      .argument('[file]', `${FILE}; without it, what was made or published last`)
      .option('--version <id>', 'a version that is there, instead of a file', parseUuid('version')),
  ).action(async (funnelId: string, file: string | undefined, _, command: Command) => {
    const options = command.optsWithGlobals<EnvironmentOptions & PublishOptions>();
    await connect(options);
    await publish(funnelId, file, options, terminal);
  });
}

function addRollBack(group: Command, { terminal, connect }: CliContext): void {
  asked(
    group
      .command('roll-back')
      .description('Publishes the version that was published before the present one, with all that its file says.')
      .argument('<funnel>', FUNNEL, parseUuid('funnel'))
      .option('--to <version>', 'another version; "funnels versions" lists them', parseUuid('version')),
  ).action(async (funnelId: string, _, command: Command) => {
    const options = command.optsWithGlobals<EnvironmentOptions & RollBackOptions>();
    await connect(options);
    await rollBack(funnelId, options, terminal);
  });
}

const asked = (command: Command): Command =>
  command
    .option('--dry-run', 'only show what would change')
    .option('--yes', 'do not ask, also where fields go or get another type')
    .option('--json', 'one JSON object: `id`, `versionId`, `changed`, `changes`');

function addUnpublish(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('unpublish')
    .description('Takes a funnel off the net; pages that are open may submit for 24 hours more. Publish takes it back.')
    .argument('<funnel>', FUNNEL, parseUuid('funnel'))
    .option('--json', 'one JSON object')
    .action(async (funnelId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await unpublish(funnelId, options, terminal);
    });
}
