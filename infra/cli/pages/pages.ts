import { createDynamoPageRepository } from '../../../shared/landing-pages/aws/dynamo-page-repository.ts';
import type { LandingPage } from '../../../shared/landing-pages/landing-page.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { UserError } from '../../common/user-error.ts';
import { formatMinute } from '../leads/format.ts';
import { requireOrganization } from '../organizations/dependencies.ts';
import { confirm } from '../terminal/confirm.ts';
import { formatCount } from '../terminal/format.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { pageDesk, pageOf, removalPorts } from './dependencies.ts';
import type { ListedPage } from './dynamo-page-admin-repository.ts';
import { pageText } from './format.ts';
import { removePage } from './remove-page.ts';

type Json = { json?: true };
export type RemoveOptions = Json & { dryRun?: true; yes?: true };
type Ids = { orgId: string; pageId: string };

export const jsonOf = (value: object): string => `${printableJson(JSON.stringify(value))}\n`;

/** An organization's pages, the newest first. */
export async function list(orgId: string, { json }: Json, { columns, write, note }: Terminal): Promise<void> {
  await requireOrganization(orgId);
  const pages: ListedPage[] = [];
  for await (const page of pageDesk().list(orgId)) pages.push(page);
  pages.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  if (json) return write(jsonOf({ pages }));
  if (pages.length === 0) return note('There are no pages yet: see pages add.');
  const rows = pages.map(({ id, createdAt, status, name }) => [
    id,
    formatMinute(createdAt),
    status,
    printableLine(name),
  ]);
  const layout = { head: ['PAGE', 'MADE, UTC', 'STATUS', 'NAME'], widths: [36, 16, 9], columns };
  await write(formatTable(layout, rows));
}

/** A page with its blocks and assets. */
export async function show({ orgId, pageId }: Ids, { json }: Json, { write }: Terminal): Promise<void> {
  const page = await pageOf(orgId, pageId);
  const parts = await createDynamoPageRepository().getParts(pageId);
  await write(json ? jsonOf({ ...page, ...parts }) : pageText(page, parts));
}

/** Publishes a page, or takes it back to a draft. @throws FriendlyError when there is no such page */
export async function setStatus(
  { orgId, pageId }: Ids,
  status: LandingPage['status'],
  { json }: Json,
  { write }: Terminal,
): Promise<void> {
  const page = await pageOf(orgId, pageId);
  const changed = page.status !== status;
  if (changed && !(await pageDesk().setStatus(page, status, systemClock.now()))) {
    throw new UserError('The page was removed meanwhile.');
  }
  if (json) return write(jsonOf({ id: pageId, status, changed }));
  await write(`The page is ${status === 'draft' ? 'a draft' : status}${changed ? '' : ' already'}.\n`);
}

/** Removes a page for good; files that copies of it show stay. */
export async function remove(
  { orgId, pageId }: Ids,
  { json, dryRun, yes }: RemoveOptions,
  terminal: Terminal,
): Promise<void> {
  const page = await pageOf(orgId, pageId);
  const { blocks, assets } = await createDynamoPageRepository().getParts(pageId);
  const goes = `${formatCount(blocks.length, 'block')} and ${formatCount(assets.length, 'asset')}`;
  const files = assets.length === 0 ? '' : ', but for files that other pages of the organization show too';
  if (!dryRun) {
    await confirm(terminal, `Remove the page "${printableLine(page.name)}" with ${goes}${files}?`, yes);
    await removePage(removalPorts(), page);
  }
  if (json) {
    return terminal.write(jsonOf({ id: pageId, blocks: blocks.length, assets: assets.length, removed: !dryRun }));
  }
  await terminal.write(`The page ${dryRun ? 'would be' : 'is'} removed with ${goes}${files}.\n`);
  if (dryRun) terminal.note('Nothing was changed.');
}
