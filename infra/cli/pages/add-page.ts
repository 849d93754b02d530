import { formatAssetKey, LandingPage, type PageAsset } from '../../../shared/landing-pages/landing-page.ts';
import { type WritePagePorts, writePage } from '../../../shared/landing-pages/write-page.ts';
import type { IdGenerator } from '../../../shared/platform/id-generator.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { insertAssetUrls, type PageDefinition } from './page-file.ts';

/** Maximum duration of adding a page. It is shorter than the time after which the sweeper rolls the page back. */
const ADD_TIMEOUT_MS = 9 * 60_000;

/** A file that a page shows, with the name by which the page's texts refer to it. */
export type NewAsset = { name: string; extension: string; mimeType: string; content(): Promise<Buffer> };

export type AddPagePorts = WritePagePorts & {
  files: { put(key: string, content: Buffer, mimeType: string): Promise<void> };
  ids: IdGenerator;
};

type AddPageInput = { orgId: string; page: PageDefinition; assets: readonly NewAsset[]; log: Logger };

/**
 * Adds a page to an organization as a draft, completely or not at all. Holds one asset's content in memory at a time.
 *
 * @throws HttpError 503 if adding the page takes longer than nine minutes
 */
export async function addPage(ports: AddPagePorts, { orgId, page, assets, log }: AddPageInput): Promise<LandingPage> {
  const pageId = ports.ids.uuid();
  const nowMs = ports.clock.now();
  const createdAt = new Date(nowMs).toISOString();
  const { name, slug, css, settings, blocks } = page;
  const create = async () => {
    const stored: PageAsset[] = [];
    for (const asset of assets) stored.push(await storeAsset(ports, { orgId, pageId, createdAt }, asset));
    const keys = new Map(stored.map((asset) => [asset.name, asset.key]));
    return {
      page: LandingPage.parse({
        id: pageId,
        orgId,
        name,
        slug,
        status: 'draft',
        createdAt,
        updatedAt: createdAt,
        css: insertAssetUrls(css, keys),
        settings: insertAssetUrls(settings, keys),
      }),
      assets: stored,
      blocks: blocks.map(({ kind, body }, position) => ({
        id: ports.ids.uuid(),
        position,
        kind,
        body: insertAssetUrls(body, keys),
      })),
    };
  };
  let added: LandingPage | undefined;
  const intent = { orgId, pageId };
  await writePage(ports, { intent, deadlineMs: nowMs + ADD_TIMEOUT_MS, log }, create, async (created) => {
    added = created.page;
  });
  if (added === undefined) throw new Error('Internal error: writePage returned without calling verify.');
  return added;
}

type AssetLocation = { orgId: string; pageId: string; createdAt: string };

async function storeAsset(
  { files, ids }: AddPagePorts,
  { orgId, pageId, createdAt }: AssetLocation,
  asset: NewAsset,
): Promise<PageAsset> {
  const { name, extension, mimeType } = asset;
  const content = await asset.content();
  const id = ids.uuid();
  const key = formatAssetKey(orgId, pageId, id, extension);
  await files.put(key, content, mimeType);
  return { id, key, name, mimeType, size: content.length, createdAt };
}
