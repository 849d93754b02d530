import { key, type PrimaryKey } from '../platform/aws/table-reader.ts';
import { DUE_SHARDS } from '../platform/due-time.ts';
import { LandingPage, ownerOf, type PageAsset, type PageBlock } from './landing-page.ts';
import type { Attempt, Parts } from './pages.ts';

const PREFIX = { org: 'org#', attempt: 'copy#' };

/** An attempt's shard in the index of what is due. */
export const shardOf = (pageId: string): string => shardName(Number.parseInt(pageId.slice(0, 8), 16) % DUE_SHARDS);
export const shardName = (shard: number): string => `copy#${shard}`;

/** A page that is being written. */
export const attemptKey = ({ orgId, pageId }: Attempt): PrimaryKey => ({ pk: `org#${orgId}`, sk: `copy#${pageId}` });

export const attemptIn = ({ pk, sk }: PrimaryKey): Attempt => ({
  orgId: pk.slice(PREFIX.org.length),
  pageId: sk.slice(PREFIX.attempt.length),
});

/** Marks a tombstone: see `Place`. */
export const TOMBSTONE = 'tombstone';

/** The page that a record is; a tombstone is none. @throws ZodError for a record that is neither */
export const pageIn = (item: Record<string, unknown> | undefined): LandingPage | undefined =>
  item === undefined || TOMBSTONE in item ? undefined : LandingPage.parse(item);

export const blockItem = (pageId: string, block: PageBlock) => ({ ...key.pageBlock(pageId, block.id), ...block });
export const assetItem = (pageId: string, asset: PageAsset) => ({ ...key.pageAsset(pageId, asset.id), ...asset });

/** The claims of a page on other pages' files. */
export const sharerItems = (pageId: string, { assets }: Parts): PrimaryKey[] => {
  const owners = new Set(assets.flatMap(({ key: at }) => ownerOf(at)?.pageId ?? []));
  return [...owners].filter((owner) => owner !== pageId).map((owner) => key.pageSharer(owner, pageId));
};
