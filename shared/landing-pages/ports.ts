import type { LandingPage, PageParts } from './landing-page.ts';

/** Ids and hostnames of an organization. Pages of other organizations must not refer to them. */
export type OrganizationReferences = { ids: readonly string[]; hostnames: readonly string[] };

/** Committed pages. The methods throw UnavailableError while the table is unavailable. */
export type PageRepository = {
  /** Strongly consistent. */
  find(orgId: string, pageId: string): Promise<LandingPage | undefined>;
  /** Blocks and assets are ordered by id. If the page exceeds the limits of a copy, some parts can be missing. */
  getParts(pageId: string): Promise<PageParts>;
  /**
   * Lists the organization's funnels, upload blocks and domains, including removed domains. The hostname of a removed
   * domain is omitted if the target organization has this hostname now.
   */
  listOrganizationReferences(orgId: string, targetOrgId: string): Promise<OrganizationReferences>;
};

/**
 * Intent record of a page that is being written or deleted. If the write or the deletion does not finish, the sweeper
 * checks whether the page is committed. If not, the sweeper deletes what exists of the page.
 */
export type PageWriteIntent = { orgId: string; pageId: string };

/** What is stored under a page's own key. A tombstone prevents a late writer from committing the page. */
export type PageRecordState = 'absent' | 'page' | 'tombstone';

/**
 * Writes a page in three steps: the intent, the parts, and finally the page's own record, which commits the page. The
 * methods throw UnavailableError while the table is unavailable; `putParts` also throws HttpError 503.
 */
export type PageWriter = {
  /** Creates the intent, or changes its due time. */
  putIntent(intent: PageWriteIntent, dueAtMs: number): Promise<void>;
  putParts(pageId: string, parts: PageParts): Promise<void>;
  /** The single write that makes the page exist. Returns false if there is a tombstone. */
  commit(page: LandingPage): Promise<boolean>;
  deleteIntent(intent: PageWriteIntent): Promise<void>;
};

/** Intents by the time at which the sweeper processes them. */
export type PageWriteIntentRepository = {
  /** Returns at most `limit` due intents, sorted by due time. */
  listDue(nowMs: number, limit: number): Promise<PageWriteIntent[]>;
  /** Strongly consistent. Returns undefined if there is no such intent. */
  getDueAtMs(intent: PageWriteIntent): Promise<number | undefined>;
  /** Deletes the intent unless its due time has changed. */
  deleteIfUnchanged(intent: PageWriteIntent, dueAtMs: number): Promise<void>;
};

/**
 * References of pages to files of other pages. A copy within an organization can use the files of its source. If the
 * source is deleted, the references show which of these files must be kept. The methods throw the SDK's errors, for
 * example while the table is unavailable.
 */
export type AssetReferenceRepository = {
  /** Lists the keys of a page's assets, even if the page is uncommitted or being deleted. */
  listAssetKeys(pageId: string): Promise<string[]>;
  /** Lists the pages that refer to files of this page. */
  listReferencingPages(pageId: string): Promise<string[]>;
  deleteReference(ownerPageId: string, referencingPageId: string): Promise<void>;
};

/** Stores tombstones of uncommitted pages. A page with a tombstone can no longer be committed. */
export type PageTombstoneRepository = {
  /** Strongly consistent. @throws UnavailableError */
  getRecordState(intent: PageWriteIntent): Promise<PageRecordState>;
  /** Returns false and writes nothing if the page exists. @throws UnavailableError */
  putTombstone(intent: PageWriteIntent, nowMs: number): Promise<boolean>;
};

export type AssetStore = {
  /**
   * Copies a file. `missing`: the source file does not exist.
   *
   * @throws UnavailableError while the store is unavailable
   */
  copy(fromKey: string, toKey: string): Promise<'copied' | 'missing'>;
};

/** Deletes the files and parts of an uncommitted or deleted page. Deleting something absent succeeds. */
export type PageDeleter = {
  /** Deletes the files that were uploaded or copied for the page, except `keysToKeep`. */
  deletePageAssets(intent: PageWriteIntent, keysToKeep: ReadonlySet<string>): Promise<void>;
  deleteAsset(key: string): Promise<void>;
  /** Deletes the items of blocks and assets. */
  deleteParts(pageId: string): Promise<void>;
};

/** An Idempotency-Key with its scope. The same key from another user, or for another page, identifies another copy. */
export type CopyIdempotencyKey = { sourcePageId: string; userId: string; key: string };

/** The copy that belongs to an Idempotency-Key. */
export type CopyIdempotencyRecord = {
  /** The target organization. */
  orgId: string;
  /** The page that is the copy. */
  pageId: string;
  bodyHash: string;
  leaseUntilMs: number;
  expiresAtMs: number;
  /** `failed`: there is no copy, and the key can be used with another body. */
  state: 'copying' | 'copied' | 'failed';
};

/** The methods throw UnavailableError while the table is unavailable. */
export type CopyIdempotencyRepository = {
  /** Strongly consistent. */
  find(key: CopyIdempotencyKey): Promise<CopyIdempotencyRecord | undefined>;
  /**
   * Returns false and writes nothing if the stored record does not name the page of `seen`, or, if `seen` is undefined,
   * if there is a record.
   */
  put(
    key: CopyIdempotencyKey,
    record: CopyIdempotencyRecord,
    seen: CopyIdempotencyRecord | undefined,
  ): Promise<boolean>;
  /** Sets the state, if the stored record still names this page. */
  complete(key: CopyIdempotencyKey, pageId: string, state: 'copied' | 'failed'): Promise<void>;
};
