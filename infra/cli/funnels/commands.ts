import type { Command } from 'commander';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseUuid } from '../program/options.ts';
import { onOrganization } from '../program/organization-argument.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { validateFile, writeSchema } from './definition-file.ts';
import { list } from './list.ts';
import { addPublications, FILE, FUNNEL } from './publish-commands.ts';
import { archive, restore, show, versions, writeFile } from './show.ts';

/** `funnels …`: funnels and their versions, made from files that people write. */
export const funnels: CommandGroup = (program, admin) => {
  const group = program
    .command('funnels')
    .description('Funnels and their versions: make them from a JSON file, publish, roll back.')
    .helpCommand(false)
    .addHelpText('after', EXAMPLE);
  addFiles(group, admin);
  addPublications(group, admin);
  addReading(group, admin);
};

const EXAMPLE = `
A first funnel:
  funnels validate infra/local/seed/example-funnel.json
  funnels create <organization> infra/local/seed/example-funnel.json --publish
Its next version:
  npm run -s admin -- funnels file <funnel> > cakes.json
  funnels publish <funnel> cakes.json --dry-run
  funnels publish <funnel> cakes.json`;

function addFiles(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('schema')
    .description('Prints the JSON Schema of a funnel file, for editors that complete and check what you write.')
    .action(() => writeSchema(terminal));
  group
    .command('validate')
    .description('Tells all that is wrong with a funnel file, by line and column. Changes nothing.')
    .argument('<file>', FILE)
    .option('--json', 'one JSON object: `valid`, `faults`, `more`')
    .action(async (file: string, _, command: Command) => {
      await validateFile(file, command.optsWithGlobals<{ json?: true }>(), terminal);
    });
  group
    .command('file')
    .description('Prints the file that would make a version again; by default the published one.')
    .argument('<funnel>', FUNNEL, parseUuid('funnel'))
    .option('--version <id>', 'another version', parseUuid('version'))
    .action(async (funnelId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { version?: string }>();
      await connect(options);
      await writeFile(funnelId, options, terminal);
    });
}

type Work = (
  id: string,
  options: EnvironmentOptions & { json?: true; yes?: true },
  terminal: Terminal,
) => Promise<void>;

function addReading(group: Command, { terminal, connect }: CliContext): void {
  const onOne = (name: string, description: string, work: Work) =>
    group
      .command(name)
      .description(description)
      .argument('<funnel>', FUNNEL, parseUuid('funnel'))
      .option('--json', 'one JSON object')
      .action(async (funnelId: string, _, command: Command) => {
        const options = command.optsWithGlobals<EnvironmentOptions & { json?: true; yes?: true }>();
        await connect(options);
        await work(funnelId, options, terminal);
      });
  onOrganization(group, 'list', 'Lists the funnels of an organization, the newest first, and how they stand.')
    .option('--json', 'one JSON object: `funnels`')
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await list(orgId, options, terminal);
    });
  onOne('show', 'Shows what is kept of a funnel, and the ids of its upload blocks.', show);
  onOne('versions', 'Lists the versions of a funnel, the newest first.', versions);
  onOne('archive', 'Lets nobody reach a funnel any more; its leads and numbers stay readable.', archive).option(
    '--yes',
    'do not ask',
  );
  onOne('restore', 'Takes a funnel back from the archive, as it was.', restore);
}
