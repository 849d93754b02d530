import type { PrimaryKey } from '../../platform/aws/table-reader.ts';

export const pageKey = (orgId: string, pageId: string): PrimaryKey => ({ pk: `org#${orgId}`, sk: `page#${pageId}` });
export const pageBlockKey = (pageId: string, blockId: string): PrimaryKey => ({
  pk: `page#${pageId}`,
  sk: `block#${blockId}`,
});
export const pageAssetKey = (pageId: string, assetId: string): PrimaryKey => ({
  pk: `page#${pageId}`,
  sk: `asset#${assetId}`,
});
/** Key of the record that the page `referencingPageId` shows files of the page `pageId`. */
export const pageReferenceKey = (pageId: string, referencingPageId: string): PrimaryKey => ({
  pk: `page#${pageId}`,
  sk: `sharer#${referencingPageId}`,
});
