import { formatAssetKey, LandingPage, type PageAsset } from '../../../shared/landing-pages/landing-page.ts';
import { type WritePagePorts, writePage } from '../../../shared/landing-pages/write-page.ts';
import type { IdGenerator } from '../../../shared/platform/id-generator.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { insertAssetUrls, type PageDefinition } from './page-file.ts';

/** Before this, whoever looks after leftovers does not take it for one. */
const ADD_MS = 9 * 60_000;

/** A file that a page shows, by its name in the page's texts. */
export type NewAsset = { name: string; extension: string; mimeType: string; content(): Promise<Buffer> };

export type AddPagePorts = WritePagePorts & {
  files: { put(key: string, content: Buffer, mimeType: string): Promise<void> };
  ids: IdGenerator;
};

type AddPageInput = { orgId: string; page: PageDefinition; assets: readonly NewAsset[]; log: Logger };

/**
 * Adds a page to an organization, as a draft: in whole or not at all. One asset's content is held at a time.
 *
 * @throws HttpError 503 when it takes longer than nine minutes
 */
export async function addPage(ports: AddPagePorts, { orgId, page, assets, log }: AddPageInput): Promise<LandingPage> {
  const pageId = ports.ids.uuid();
  const nowMs = ports.clock.now();
  const createdAt = new Date(nowMs).toISOString();
  const { name, slug, css, settings, blocks } = page;
  let added: LandingPage | undefined;
  await writePage(ports, { attempt: { orgId, pageId }, deadlineMs: nowMs + ADD_MS, log }, async () => {
    const stored: PageAsset[] = [];
    for (const asset of assets) stored.push(await put(ports, { orgId, pageId, createdAt }, asset));
    const keys = new Map(stored.map((asset) => [asset.name, asset.key]));
    const own = { id: pageId, orgId, name, slug, status: 'draft', createdAt, updatedAt: createdAt };
    added = LandingPage.parse({ ...own, css: insertAssetUrls(css, keys), settings: insertAssetUrls(settings, keys) });
    return {
      page: added,
      assets: stored,
      blocks: blocks.map(({ kind, body }, position) => ({
        ...{ id: ports.ids.uuid(), position, kind },
        body: insertAssetUrls(body, keys),
      })),
    };
  });
  if (added === undefined) throw new Error('A page was written that was never made.');
  return added;
}

type Place = { orgId: string; pageId: string; createdAt: string };

async function put(
  { files, ids }: AddPagePorts,
  { orgId, pageId, createdAt }: Place,
  asset: NewAsset,
): Promise<PageAsset> {
  const { name, extension, mimeType } = asset;
  const content = await asset.content();
  const id = ids.uuid();
  const key = formatAssetKey(orgId, pageId, id, extension);
  await files.put(key, content, mimeType);
  return { id, key, name, mimeType, size: content.length, createdAt };
}
