import type { PrimaryKey } from '../../platform/aws/table-reader.ts';
import { DUE_INDEX_SHARDS } from '../../platform/due-index.ts';
import { LandingPage, type PageAsset, type PageBlock, type PageParts, parseAssetKey } from '../landing-page.ts';
import type { PageWriteIntent } from '../ports.ts';
import { pageAssetKey, pageBlockKey, pageReferenceKey } from './keys.ts';

const PREFIX = { org: 'org#', intent: 'copy#' };

export const getIntentShard = (pageId: string): string =>
  formatIntentShard(Number.parseInt(pageId.slice(0, 8), 16) % DUE_INDEX_SHARDS);
export const formatIntentShard = (shard: number): string => `copy#${shard}`;

export const intentKey = ({ orgId, pageId }: PageWriteIntent): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `copy#${pageId}`,
});

export const parseIntentKey = ({ pk, sk }: PrimaryKey): PageWriteIntent => ({
  orgId: pk.slice(PREFIX.org.length),
  pageId: sk.slice(PREFIX.intent.length),
});

/** Name of the attribute that marks a tombstone (see `PageRecordState`). */
export const TOMBSTONE = 'tombstone';

/** Returns undefined if `item` is undefined or a tombstone. @throws ZodError if the item has an unexpected shape */
export const parsePageItem = (item: Record<string, unknown> | undefined): LandingPage | undefined =>
  item === undefined || TOMBSTONE in item ? undefined : LandingPage.parse(item);

export const toBlockItem = (pageId: string, block: PageBlock) => ({ ...pageBlockKey(pageId, block.id), ...block });
export const toAssetItem = (pageId: string, asset: PageAsset) => ({ ...pageAssetKey(pageId, asset.id), ...asset });

/** Returns the items which state that this page shows files of other pages. */
export function toAssetReferenceItems(pageId: string, { assets }: PageParts): PrimaryKey[] {
  const owners = new Set(assets.flatMap((asset) => parseAssetKey(asset.key)?.pageId ?? []));
  return [...owners].filter((owner) => owner !== pageId).map((owner) => pageReferenceKey(owner, pageId));
}
