import type { FileReference, Upload, UploadIds, UploadState } from './upload.ts';

/** What an update writes; an absent property keeps its value. */
export type UploadChanges = {
  state?: UploadState;
  isInspected?: boolean;
  /** Inspections without a result; 0 clears the count. */
  attempts?: number;
  reason?: Upload['reason'];
  dueAtMs: number;
  /** An attribute to remove. */
  remove?: 'leads' | 'reservation';
};

/** Records of uploads. Methods that return false wrote nothing, because the record is not as the caller read it. */
export type UploadRepository = {
  /** @throws UnavailableError while the table is unavailable */
  add(upload: Upload): Promise<void>;
  /** Strongly consistent. @throws UnavailableError while the table is unavailable */
  find(orgId: string, uuid: string): Promise<Upload | undefined>;
  /**
   * Adds a lead to those that reference the file, with one write; a repetition changes nothing. False when the file does not exist, is of
   * another block or funnel, has expired, is in another state than `attached` or `unattachedState`, or has too many leads.
   *
   * @throws UnavailableError while the table is unavailable
   */
  addLeadReference(file: FileReference, unattachedState: 'stored' | 'pending', nowMs: number): Promise<boolean>;
  /** At most `limit` uploads that are due, the longest overdue first; those with attempts only when no other is due. */
  findDue(nowMs: number, limit: number): Promise<UploadIds[]>;
  update(upload: Upload, changes: UploadChanges): Promise<boolean>;
  /** All uploads of an organization that were attached to any of these leads (lead references). */
  listByLeads(orgId: string, leads: ReadonlySet<string>): AsyncIterable<Upload>;
  /** Removes a lead from the file. When no other lead references it, the sweeper deletes it without waiting. */
  detachLead(upload: Upload, lead: string): Promise<boolean>;
  /**
   * From then on no lead can reference the file, and its record has no file name. The record keeps the lead, so that an
   * erasure that was interrupted before the object was deleted finds it again.
   *
   * @param dueAtMs when the sweeper deletes what is left
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
  /** Whether a direct upload arrived and was not promoted yet. */
  hasIncoming(path: string): Promise<boolean>;
  /** Deletes what arrived as a direct upload, before or after it was promoted. */
  deleteIncoming(path: string): Promise<void>;
};

/**
 * Direct uploads that arrived, by the storage path that they are meant for. Methods throw UnavailableError while the
 * store is unavailable.
 */
export type IncomingFileStore = {
  /** Size, first bytes and entity tag; undefined when nothing arrived. */
  head(path: string, bytes: number): Promise<{ size: number; head: Buffer; etag: string } | undefined>;
  /**
   * Copies a direct upload to its storage path, unless a file is there already.
   *
   * @param etag of the content that was inspected
   * @returns false when the content has changed or another copy is in progress: inspect it again
   */
  promote(path: string, etag: string): Promise<boolean>;
};

/** A form by which a page sends a file to the store: `fields` come before the file. */
export type PresignedPost = { url: string; fields: Record<string, string>; expiresAt: string };

/** Presigns the upload of exactly this file; it waits under the incoming prefix until it is promoted to `path`. */
export type PresignUpload = (file: { path: string; mimeType: string; size: number }) => Promise<PresignedPost>;

/** The properties of a funnel's upload block that limit an upload. */
export type UploadBlockLimits = {
  id: string;
  funnelId: string;
  /** Media types, also `image/*`; absent: all that the service accepts. */
  acceptedTypes?: string[] | undefined;
  /** The largest file, in bytes. */
  bytesMax: number;
};

export type UploadBlockReader = { find(orgId: string, blockId: string): Promise<UploadBlockLimits | undefined> };
