import type { FileReference, Upload, UploadIds, UploadState } from './upload.ts';

/**
 * The changes of an update. If a property is absent, its stored value stays. But once the file was inspected, an update
 * removes its attempts and its reservation.
 */
export type UploadChanges = {
  state?: UploadState;
  isInspected?: boolean;
  /** Number of inspections without a result. 0 removes the stored number. */
  attempts?: number;
  reason?: Upload['reason'];
  dueAtMs: number;
  remove?: 'leads' | 'reservation';
};

/**
 * Records of uploads. If `update`, `detachLead` or `markDeleting` returns false, it has written nothing, because the
 * record has changed since the caller read it.
 */
export type UploadRepository = {
  /** @throws UnavailableError while the table is unavailable */
  add(upload: Upload): Promise<void>;
  /** Reads strongly consistently. @throws UnavailableError while the table is unavailable */
  find(orgId: string, uuid: string): Promise<Upload | undefined>;
  /**
   * Records with one write that a lead references the file. A repeated call changes only the due time. Returns false if
   * the file does not exist, belongs to another block or funnel, has too many leads, or is neither `attached` nor an
   * unexpired file in `unattachedState`.
   *
   * @throws UnavailableError while the table is unavailable
   */
  addLeadReference(file: FileReference, unattachedState: 'stored' | 'pending', nowMs: number): Promise<boolean>;
  /**
   * Returns at most `limit` due uploads, sorted by due time. Returns retries of inspections only if no other upload is
   * due. Eventually consistent.
   */
  findDue(nowMs: number, limit: number): Promise<UploadIds[]>;
  update(upload: Upload, changes: UploadChanges): Promise<boolean>;
  /** Lists all uploads of an organization whose records name any of these leads. @param leads lead references */
  listByLeads(orgId: string, leads: ReadonlySet<string>): AsyncIterable<Upload>;
  /**
   * Removes a lead from the record of the file. When no lead references the file any more, the sweeper deletes the file
   * without waiting for `UNREFERENCED_TTL_MS`.
   */
  detachLead(upload: Upload, lead: string): Promise<boolean>;
  /**
   * Changes the state to `deleting` and clears the file name. From then on, no lead can reference the file. The record
   * still names the lead, so that an interrupted erasure of the lead finds the record again.
   *
   * @param dueAtMs when the sweeper deletes the object, if it still exists, and the record
   */
  markDeleting(upload: Upload, dueAtMs: number): Promise<boolean>;
  /** Deletes the record of an upload in the state `deleting`. */
  delete(upload: Upload): Promise<void>;
};

/** Files by storage path. Deleting a file that does not exist succeeds. */
export type FileStore = {
  get(path: string): Promise<Buffer | undefined>;
  /** @throws UnavailableError while the store is unavailable */
  put(path: string, content: Buffer): Promise<void>;
  delete(path: string): Promise<void>;
  /** Whether a direct upload has arrived and is not empty. The object still exists after a promotion. */
  hasIncoming(path: string): Promise<boolean>;
  /** Deletes the object that arrived as a direct upload. A promoted copy of the object stays. */
  deleteIncoming(path: string): Promise<void>;
};

/**
 * Direct uploads that have arrived, by the storage path to which they are promoted. The methods throw UnavailableError
 * while the store is unavailable.
 */
export type IncomingFileStore = {
  /** Returns size, first bytes and entity tag, or undefined if nothing or an empty file has arrived. */
  head(path: string, bytes: number): Promise<{ size: number; head: Buffer; etag: string } | undefined>;
  /**
   * Copies a direct upload to its storage path, unless a file is there already.
   *
   * @param etag of the content that was inspected
   * @returns whether a file is at the storage path now. If false, inspect again: the content has changed, or another
   *   copy is in progress.
   */
  promote(path: string, etag: string): Promise<boolean>;
};

/** A form with which a page sends a file to the store. The `fields` must precede the file. */
export type PresignedPost = { url: string; fields: Record<string, string>; expiresAt: string };

/**
 * Presigns a form for a file of exactly this size and type. The file stays under the incoming prefix until it is
 * promoted to `path`.
 */
export type UploadPresigner = (file: { path: string; mimeType: string; size: number }) => Promise<PresignedPost>;

export type UploadBlockLimits = {
  id: string;
  funnelId: string;
  /** Media types, or ranges such as `image/*`; absent: all that the service accepts. */
  acceptedTypes?: string[] | undefined;
  /** Maximum file size in bytes. */
  bytesMax: number;
};

export type UploadBlockReader = { find(orgId: string, blockId: string): Promise<UploadBlockLimits | undefined> };
