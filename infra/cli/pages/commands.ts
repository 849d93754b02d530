import { createDynamoPageRepository } from '../../../shared/landing-pages/aws/dynamo-page-repository.ts';
import type { LandingPage } from '../../../shared/landing-pages/landing-page.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { UserError } from '../../common/user-error.ts';
import { FILE_BYTES_MAX } from '../json-document/parse.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { listOfOrganization } from '../organizations/list-command.ts';
import { argument, command, group, option } from '../program/command.ts';
import { dryRun, idArgument, organizationArgument, yes } from '../program/parameters.ts';
import { formatCount, formatMinute, formatUtc } from '../terminal/format.ts';
import { Fields } from '../terminal/output.ts';
import { NOTHING_CHANGED } from '../terminal/terminal.ts';
import { ASSET_BYTES_MAX, addPageFromFile } from './add-page-from-file.ts';
import { pageRepository, removalPorts, requirePage } from './dependencies.ts';
import { ITEM_TEXT_BYTES_MAX } from './page-file.ts';
import { removePage } from './remove-page.ts';

const bytes = (count: number): string => count.toLocaleString('en');
const pageArgs = { orgId: organizationArgument, pageId: idArgument('page') };

const add = command({
  name: 'add',
  description: 'Adds a page from a JSON file, as a draft, and prints the page id.',
  args: { orgId: organizationArgument, file: argument('<file>', 'JSON file that describes the page (format: below)') },
  options: {
    assets: option(
      '--assets <folder>',
      'folder whose files, without those in subfolders, become assets of the page (default: no assets)',
    ),
  },
  json: 'one JSON object: `id`, and the counts `blocks` and `assets`',
  help: `The file is a JSON object with name, slug, blocks and, optionally, css (a
string) and settings (an object). The slug is the last part of the URL of the
page, and has only lower-case letters, digits and hyphens. Each block has a
kind (any name) and a body (any JSON value).
To refer to a file in the --assets folder, write /assets/<file name>.
An example, for a folder with the file roof.png:
  { "name": "Solar", "slug": "solar",
    "blocks": [{ "kind": "section", "body": { "image": "/assets/roof.png" } }] }

Maximum sizes:
  the JSON file: ${bytes(FILE_BYTES_MAX)} bytes
  the body of each block: ${bytes(ITEM_TEXT_BYTES_MAX)} bytes
  css and settings together: ${bytes(ITEM_TEXT_BYTES_MAX)} bytes
  each asset: ${bytes(ASSET_BYTES_MAX)} bytes
In bodies, css and settings, each /assets/<file name> counts as 123 bytes, the
maximum length of the URL path that replaces it.

The GPS location is removed from images.

To store the page id in a shell variable:
  PAGE=$(npm run -s admin -- pages add <organization> solar.json)`,
  run: async ({ orgId, file, assets: folder }, { terminal }) => {
    await requireOrganization(orgId);
    const { id, blocks, assets } = await addPageFromFile(orgId, file, folder, terminal);
    const added = `${formatCount(blocks, 'block')} and ${formatCount(assets, 'asset')}`;
    const hint = `Added a draft with ${added}. To publish it, use "pages publish".`;
    return { json: { id, blocks, assets }, text: id, hints: [hint] };
  },
});

const list = listOfOrganization({
  name: 'pages',
  description: 'Lists the pages of an organization, newest first.',
  list: (orgId) => pageRepository().list(orgId),
  compare: (one, other) => (one.createdAt < other.createdAt ? 1 : -1),
  columns: [
    { head: 'PAGE', width: 36, value: ({ id }) => id },
    { head: 'CREATED, UTC', width: 16, value: ({ createdAt }) => formatMinute(createdAt) },
    { head: 'STATUS', width: 9, value: ({ status }) => status },
    { head: 'NAME', value: ({ name }) => name },
  ],
  empty: 'There are no pages yet: see "pages add".',
});

const show = command({
  name: 'show',
  description: 'Shows a page with its blocks and assets; only --json includes the content of the blocks.',
  args: pageArgs,
  json: 'one JSON object: the page with `blocks` and `assets`',
  run: async ({ orgId, pageId }) => {
    const page = await requirePage(orgId, pageId);
    const parts = await createDynamoPageRepository().getParts(pageId);
    const blocks = parts.blocks.toSorted((one, other) => one.position - other.position);
    return {
      json: { ...page, ...parts },
      text: new Fields(
        ['id', page.id],
        ['name', page.name],
        ['slug', page.slug],
        ['status', page.status],
        ['domain', page.domainId ?? 'none'],
        ['created', formatUtc(page.createdAt)],
        ['updated', formatUtc(page.updatedAt)],
        ['blocks', orNone(blocks.map(({ id, kind }) => `${id}  ${kind}`))],
        ['assets', orNone(parts.assets.map(({ id, name, size }) => `${id}  ${bytes(size)} bytes  ${name}`))],
      ),
    };
  },
});

const orNone = (lines: string[]): string[] => (lines.length === 0 ? ['none'] : lines);

const setStatus = (name: string, description: string, status: LandingPage['status']) =>
  command({
    name,
    description,
    args: pageArgs,
    json: 'one JSON object: `id`, `status`, and `changed` (false if the page already had this status)',
    run: async ({ orgId, pageId }) => {
      const page = await requirePage(orgId, pageId);
      const changed = page.status !== status;
      if (changed && !(await pageRepository().setStatus(page, status, systemClock.now()))) {
        throw new UserError(`Another command removed the page ${pageId} at the same time. ${NOTHING_CHANGED}`);
      }
      const state = status === 'draft' ? 'a draft' : status;
      return { json: { id: pageId, status, changed }, text: `The page is ${changed ? 'now' : 'already'} ${state}.` };
    },
  });

const remove = command({
  name: 'remove',
  description:
    'Removes a page permanently, with its blocks, its domain binding, and the assets that no other page shows.',
  args: pageArgs,
  options: { dryRun, yes },
  json: 'one JSON object: `id`, `removed` (false with --dry-run), and the counts `blocks` and `assets` of the page',
  run: async ({ orgId, pageId, dryRun: isDryRun, yes: isConfirmed }, { confirm }) => {
    const page = await requirePage(orgId, pageId);
    const { blocks, assets } = await createDynamoPageRepository().getParts(pageId);
    const parts = `${formatCount(blocks.length, 'block')} and ${formatCount(assets.length, 'asset')}`;
    const files = assets.length === 0 ? '' : ', except assets that other pages of the organization also show';
    if (!isDryRun) {
      await confirm(`Remove the page "${page.name}" with ${parts}${files}?`, isConfirmed);
      await removePage(removalPorts(), page);
    }
    return {
      json: { id: pageId, blocks: blocks.length, assets: assets.length, removed: !isDryRun },
      text: `The page ${isDryRun ? 'would be' : 'is'} removed with ${parts}${files}.`,
      hints: isDryRun ? [NOTHING_CHANGED] : [],
    };
  },
});

export const pages = group('pages', 'Landing pages: add, list, show, publish and remove them.', [
  ...[add, list, show],
  setStatus('publish', 'Publishes a page: its status becomes "published".', 'published'),
  setStatus('unpublish', 'Unpublishes a page: its status becomes "draft" again.', 'draft'),
  remove,
]);
