import type { LandingPage, PageParts } from './landing-page.ts';

/** Ids and hostnames of an organization that pages of another organization must not refer to. */
export type OrganizationReferences = { ids: readonly string[]; hostnames: readonly string[] };

/** Existing pages. Every method throws HttpError 503 while the table is unavailable. */
export type PageRepository = {
  /** Strongly consistent. */
  find(orgId: string, pageId: string): Promise<LandingPage | undefined>;
  /** Ordered by id. Reading stops soon after the limits of a page are exceeded. */
  getParts(pageId: string): Promise<PageParts>;
  /**
   * The organization's funnels, upload blocks and domains, including removed domains. A removed domain's hostname that
   * the target organization has now is left out.
   */
  listOrganizationReferences(orgId: string, targetOrgId: string): Promise<OrganizationReferences>;
};

/** Record of a page that is being written or deleted. The sweeper rolls it back when the operation does not finish. */
export type PageWriteIntent = { orgId: string; pageId: string };

/** What is stored under a page's own key. A tombstone prevents a late writer from committing the page. */
export type PageRecordState = 'absent' | 'page' | 'tombstone';

/**
 * Writes a page in three steps: an intent, then the parts, last the page's own record, which commits the page.
 * Every method throws HttpError 503 while the table is unavailable.
 */
export type PageWriter = {
  /** Creates the intent or changes when it is due. */
  putIntent(intent: PageWriteIntent, dueAtMs: number): Promise<void>;
  putParts(pageId: string, parts: PageParts): Promise<void>;
  /** The single write that makes the page exist. Returns false when there is a tombstone. */
  commit(page: LandingPage): Promise<boolean>;
  deleteIntent(intent: PageWriteIntent): Promise<void>;
};

/** Intents by the time at which the sweeper processes them. */
export type PageWriteIntentRepository = {
  /** At most `limit` due intents, oldest first. */
  listDue(nowMs: number, limit: number): Promise<PageWriteIntent[]>;
  /** Strongly consistent. Undefined when there is no such intent. */
  getDueAtMs(intent: PageWriteIntent): Promise<number | undefined>;
  /** Deletes the intent unless its due time has changed. */
  deleteIfUnchanged(intent: PageWriteIntent, dueAtMs: number): Promise<void>;
};

/**
 * Which pages refer to files of which pages: a copy within an organization uses the files of its source. The references
 * are written with the parts of a page, so that the files outlive the page that owns them. Every method throws while the
 * table is unavailable.
 */
export type AssetReferenceRepository = {
  /** The keys of a page's assets, also of a page that is uncommitted or being deleted. */
  listAssetKeys(pageId: string): Promise<string[]>;
  /** Pages that refer to files of this page. */
  listReferencingPages(pageId: string): Promise<string[]>;
  deleteReference(ownerPageId: string, referencingPageId: string): Promise<void>;
};

/** Ensures that a page is never committed. */
export type PageTombstoneRepository = {
  /** Strongly consistent. @throws HttpError 503 */
  getRecordState(intent: PageWriteIntent): Promise<PageRecordState>;
  /** Returns false and writes nothing when the page exists. @throws HttpError 503 */
  putTombstone(intent: PageWriteIntent, nowMs: number): Promise<boolean>;
};

/** Stores the files of assets. */
export type AssetStore = {
  /** Copies within the store. `missing` when the source does not exist. @throws HttpError 503 while the store is unavailable */
  copy(fromKey: string, toKey: string): Promise<'copied' | 'missing'>;
};

/** Deletes what an uncommitted or deleted page leaves behind. Deleting something absent succeeds. */
export type PageDeleter = {
  /** Deletes all files that were uploaded or copied for a page, except those with these keys. */
  deletePageAssets(intent: PageWriteIntent, keysToKeep: ReadonlySet<string>): Promise<void>;
  deleteAsset(key: string): Promise<void>;
  /** Deletes the records of blocks and assets. */
  deleteParts(pageId: string): Promise<void>;
};

/** Scope of an Idempotency-Key: the same key of another user, or for another page, is independent. */
export type CopyIdempotencyKey = { sourcePageId: string; userId: string; key: string };

/** The copy that belongs to an Idempotency-Key. */
export type CopyIdempotencyRecord = {
  /** Of the copy. */
  orgId: string;
  pageId: string;
  bodyHash: string;
  leaseUntilMs: number;
  expiresAtMs: number;
  /** `failed`: there is no copy, and the key can be used with another body. */
  state: 'copying' | 'copied' | 'failed';
};

/** Every method throws HttpError 503 while the table is unavailable. */
export type CopyIdempotencyRepository = {
  /** Strongly consistent. */
  find(key: CopyIdempotencyKey): Promise<CopyIdempotencyRecord | undefined>;
  /** Returns false and writes nothing when the stored record is not `seen`. */
  put(
    key: CopyIdempotencyKey,
    record: CopyIdempotencyRecord,
    seen: CopyIdempotencyRecord | undefined,
  ): Promise<boolean>;
  /** Sets the state unless the key belongs to another page by now. */
  complete(key: CopyIdempotencyKey, pageId: string, state: 'copied' | 'failed'): Promise<void>;
};
