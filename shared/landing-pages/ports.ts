import type { LandingPage, PageAsset, PageBlock } from './landing-page.ts';
import type { OrganizationReferences } from './rewriting/rewrite-page.ts';

export type PageParts = { blocks: readonly PageBlock[]; assets: readonly PageAsset[] };

/** Pages that exist. Every method throws Problem 503 while the table is not available. */
export type PageRepository = {
  /** As it is right now. */
  find(orgId: string, pageId: string): Promise<LandingPage | undefined>;
  /** In the order of their ids. Reading ends soon after there are more than a page may have. */
  getParts(pageId: string): Promise<PageParts>;
  /**
   * The organization's funnels, upload blocks and domains, including removed domains. A removed domain's hostname that
   * the target organization has now is left out.
   */
  listOrganizationReferences(orgId: string, targetOrgId: string): Promise<OrganizationReferences>;
};

/** A page that is being written: nobody sees it before it is committed. */
export type PageWriteIntent = { orgId: string; pageId: string };

/** What stands where a page's own record belongs: a tombstone keeps one that is late from ever getting there. */
export type PageRecordState = 'empty' | 'page' | 'tombstone';

/**
 * Writes pages: first an attempt, by which what dies on its way is found and removed, then the parts, last the page's own
 * record. Every method throws Problem 503 while the table is not available.
 */
export type PageWriter = {
  /** Notes the attempt, or when the sweeper shall look at it. */
  putIntent(attempt: PageWriteIntent, dueAtMs: number): Promise<void>;
  putParts(pageId: string, parts: PageParts): Promise<void>;
  /** The one write that makes the page exist. False when there is a tombstone. */
  commit(page: LandingPage): Promise<boolean>;
  deleteIntent(attempt: PageWriteIntent): Promise<void>;
};

/**
 * Who shows whose files: a copy within an organization shows those of its source. With its parts a page's claim on them is
 * written, so that they stay when their own page goes. Every method throws while the table is not available.
 */
export type AssetReferenceRepository = {
  /** The keys of a page's assets, also of one that is not committed or is being removed. */
  listAssetKeys(pageId: string): Promise<string[]>;
  /** Pages that claim files of this one. */
  listReferencingPages(pageId: string): Promise<string[]>;
  /** Ends a page's claim on another one's files. */
  deleteReference(ownerPageId: string, sharerPageId: string): Promise<void>;
};

/** Sees to it that a page never comes to exist. */
export type TombstoneRepository = {
  /** As it is right now. @throws Problem 503 */
  getRecordState(attempt: PageWriteIntent): Promise<PageRecordState>;
  /** False when the page exists: then nothing is written. @throws Problem 503 */
  putTombstone(attempt: PageWriteIntent, nowMs: number): Promise<boolean>;
};

/** The objects that pages' assets are. */
export type AssetStore = {
  /** Copies within the store. `gone` when there is nothing to copy. @throws Problem 503 while it is not available */
  copy(fromKey: string, toKey: string): Promise<'copied' | 'gone'>;
};
