import type { LandingPage, PageAsset, PageBlock } from './landing-page.ts';
import type { Foreign } from './rewriting/rewrite-page.ts';

export type Parts = { blocks: readonly PageBlock[]; assets: readonly PageAsset[] };

/** Pages that exist. Every method throws Problem 503 while the table is not available. */
export type Pages = {
  /** As it is right now. */
  find(orgId: string, pageId: string): Promise<LandingPage | undefined>;
  /** In the order of their ids. Reading ends soon after there are more than a page may have. */
  parts(pageId: string): Promise<Parts>;
  /**
   * The organization's funnels, upload blocks and domains, including removed domains. A removed domain's hostname that
   * the target organization has now is left out.
   */
  references(orgId: string, targetOrgId: string): Promise<Foreign>;
};

/** A page that is being written: nobody sees it before it is committed. */
export type Attempt = { orgId: string; pageId: string };

/** What stands where a page's own record belongs: a tombstone keeps one that is late from ever getting there. */
export type Place = 'empty' | 'page' | 'tombstone';

/**
 * Writes pages: first an attempt, by which what dies on its way is found and removed, then the parts, last the page's own
 * record. Every method throws Problem 503 while the table is not available.
 */
export type PageWrites = {
  /** Notes the attempt, or when the sweeper shall look at it. */
  begin(attempt: Attempt, dueAtMs: number): Promise<void>;
  addParts(pageId: string, parts: Parts): Promise<void>;
  /** The one write that makes the page exist. False when there is a tombstone. */
  commit(page: LandingPage): Promise<boolean>;
  forget(attempt: Attempt): Promise<void>;
};

/**
 * Who shows whose files: a copy within an organization shows those of its source. With its parts a page's claim on them is
 * written, so that they stay when their own page goes. Every method throws while the table is not available.
 */
export type SharedFiles = {
  /** The keys of a page's assets, also of one that is not committed or is being removed. */
  shownBy(pageId: string): Promise<string[]>;
  /** Pages that claim files of this one. */
  sharersOf(pageId: string): Promise<string[]>;
  /** Ends a page's claim on another one's files. */
  giveUp(ownerPageId: string, sharerPageId: string): Promise<void>;
};

/** Sees to it that a page never comes to exist. */
export type Tombstones = {
  /** As it is right now. @throws Problem 503 */
  placeOf(attempt: Attempt): Promise<Place>;
  /** False when the page exists: then nothing is written. @throws Problem 503 */
  entomb(attempt: Attempt, nowMs: number): Promise<boolean>;
};

/** The objects that pages' assets are. */
export type PageFiles = {
  /** Copies within the store. `gone` when there is nothing to copy. @throws Problem 503 while it is not available */
  copy(fromKey: string, toKey: string): Promise<'copied' | 'gone'>;
};
