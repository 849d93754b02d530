import type { PrimaryKey } from '../../platform/aws/table-reader.ts';
import { DUE_INDEX_SHARDS } from '../../platform/due-index.ts';
import { LandingPage, type PageAsset, type PageBlock, parseAssetKey } from '../landing-page.ts';
import type { PageParts, PageWriteIntent } from '../ports.ts';
import { pageAssetKey, pageBlockKey, pageReferenceKey } from './keys.ts';

const PREFIX = { org: 'org#', attempt: 'copy#' };

/** An attempt's shard in the index of what is due. */
export const getIntentShard = (pageId: string): string =>
  formatIntentShard(Number.parseInt(pageId.slice(0, 8), 16) % DUE_INDEX_SHARDS);
export const formatIntentShard = (shard: number): string => `copy#${shard}`;

/** A page that is being written. */
export const intentKey = ({ orgId, pageId }: PageWriteIntent): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `copy#${pageId}`,
});

export const parseIntentKey = ({ pk, sk }: PrimaryKey): PageWriteIntent => ({
  orgId: pk.slice(PREFIX.org.length),
  pageId: sk.slice(PREFIX.attempt.length),
});

/** Marks a tombstone: see `Place`. */
export const TOMBSTONE = 'tombstone';

/** The page that a record is; a tombstone is none. @throws ZodError for a record that is neither */
export const parsePageItem = (item: Record<string, unknown> | undefined): LandingPage | undefined =>
  item === undefined || TOMBSTONE in item ? undefined : LandingPage.parse(item);

export const toBlockItem = (pageId: string, block: PageBlock) => ({ ...pageBlockKey(pageId, block.id), ...block });
export const toAssetItem = (pageId: string, asset: PageAsset) => ({ ...pageAssetKey(pageId, asset.id), ...asset });

/** The claims of a page on other pages' files. */
export const toAssetReferenceItems = (pageId: string, { assets }: PageParts): PrimaryKey[] => {
  const owners = new Set(assets.flatMap(({ key: at }) => parseAssetKey(at)?.pageId ?? []));
  return [...owners].filter((owner) => owner !== pageId).map((owner) => pageReferenceKey(owner, pageId));
};
