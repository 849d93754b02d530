import type { Command } from 'commander';
import { FILE_BYTES_MAX } from '../../../shared/directory/funnel-file/file-text.ts';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseUuid } from '../program/options.ts';
import { onOrganization } from '../program/organization-argument.ts';
import { type AddOptions, ASSET_BYTES_MAX, add } from './add.ts';
import { ITEM_TEXT_BYTES_MAX } from './page-file.ts';
import { list, type RemoveOptions, remove, setStatus, show } from './pages.ts';

type Options = EnvironmentOptions & { json?: true };

const bytes = (count: number): string => count.toLocaleString('en');

const FILE_HELP = `
The file is one JSON object: name, slug, css, settings (an object), and blocks,
each with kind and body (any JSON). Its texts name a file of the folder as
/assets/<file name>. For example:
  { "name": "Solar", "slug": "solar",
    "blocks": [{ "kind": "section", "body": { "image": "/assets/roof.png" } }] }

It has at most ${bytes(FILE_BYTES_MAX)} bytes, each block ${bytes(ITEM_TEXT_BYTES_MAX)} with the addresses
of its files, and each of these files ${bytes(ASSET_BYTES_MAX)}. Images are stored without
their metadata, such as the place, and without what stands behind their end.

Into a variable: PAGE=$(npm run -s admin -- pages add $ORG solar.json)`;

/** `pages list|show|add|publish|unpublish|remove`: landing pages. */
export const pages: CommandGroup = (program, admin) => {
  const group = program
    .command('pages')
    .description('Landing pages: add, list, show, publish and remove them.')
    .helpCommand(false);
  addAdd(group, admin);
  addList(group, admin);
  addShow(group, admin);
  addStatus(group, admin);
  addRemove(group, admin);
};

const onPage = (group: Command, name: string, description: string): Command =>
  onOrganization(group, name, description).argument('<page>', 'id of the page', parseUuid('page'));

function addAdd(group: Command, { terminal, connect }: CliContext): void {
  onOrganization(group, 'add', 'Adds a page that a JSON file describes, as a draft.')
    .argument('<file>', 'the JSON file')
    .option('--assets <folder>', 'the folder with the files that it shows')
    .option('--json', 'one JSON object: `id`, `blocks`, `assets`')
    .addHelpText('after', FILE_HELP)
    .action(async (orgId: string, file: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & AddOptions>();
      await connect(options);
      await add(orgId, file, options, terminal);
    });
}

function addList(group: Command, { terminal, connect }: CliContext): void {
  onOrganization(group, 'list', 'Lists pages, the newest first.')
    .option('--json', 'one JSON object: `pages`')
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await connect(options);
      await list(orgId, options, terminal);
    });
}

function addShow(group: Command, { terminal, connect }: CliContext): void {
  onPage(group, 'show', 'Shows a page with its blocks and assets; what the blocks hold with --json.')
    .option('--json', 'one JSON object')
    .action(async (orgId: string, pageId: string, _, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await connect(options);
      await show({ orgId, pageId }, options, terminal);
    });
}

function addStatus(group: Command, { terminal, connect }: CliContext): void {
  const onStatus = (name: string, description: string, status: 'published' | 'draft') =>
    onPage(group, name, description)
      .option('--json', 'one JSON object: `id`, `status`, `changed`')
      .action(async (orgId: string, pageId: string, _, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        await connect(options);
        await setStatus({ orgId, pageId }, status, options, terminal);
      });
  onStatus('publish', 'Publishes a page.', 'published');
  onStatus('unpublish', 'Takes a page back to a draft.', 'draft');
}

function addRemove(group: Command, { terminal, connect }: CliContext): void {
  onPage(group, 'remove', 'Removes a page with its blocks and the files that no other page shows, for good.')
    .option('--dry-run', 'tells what would go, and changes nothing')
    .option('--yes', 'goes on without asking')
    .option('--json', 'one JSON object: `id`, `blocks`, `assets`, `removed`')
    .action(async (orgId: string, pageId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & RemoveOptions>();
      await connect(options);
      await remove({ orgId, pageId }, options, terminal);
    });
}
