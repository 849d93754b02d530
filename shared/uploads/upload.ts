import * as z from 'zod';
import { doc } from '../http/doc.ts';
import type { FileKind } from './file-type.ts';

/** Through the function: what Lambda takes of a call, less a third for base64. */
export const FUNCTION_FILE_BYTES_MAX = 4 * 1024 * 1024;
/** A file that no lead refers to is gone after this time. */
export const UNREFERENCED_MS = 7 * 86_400_000;
/** How long an announced file may be sent to the store; it may be sent again as long. */
export const DIRECT_SECONDS = 3_600;
/** From here on what was sent to the store is final: who began just in time has finished, too. */
export const FINAL_MS = 2 * DIRECT_SECONDS * 1_000;

/** What callers are told of an uploaded file. */
export const FileRecord = z.object({
  uuid: z.string().describe(doc('The value of a `file` field.')),
  name: z.string(),
  size: z.int().describe(doc('Bytes.')),
  mimeType: z.string().describe(doc('What the content is, whatever was claimed.')),
  storagePath: z.string(),
});
export type FileRecord = z.infer<typeof FileRecord>;

/**
 * `unverified`: announced, and perhaps sent to the store; `stored`: looked at in whole, waits for a lead; `kept`: a
 * lead refers to it; `refused`: kept, then found to be what it must not be, and deleted; `removing`: nobody can refer
 * to it any more.
 */
export type UploadState = 'unverified' | 'stored' | 'kept' | 'refused' | 'removing';

/** Whose file it is, and what became of it. */
export type Upload = FileRecord & {
  orgId: string;
  blockId: string;
  funnelId: string;
  state: UploadState;
  /** The whole content was looked at, and an image says no place. */
  inspected: boolean;
  createdAtMs: number;
  /** When the sweeper looks at it next. */
  dueAtMs: number;
  /** Of the content that was looked at, while it can still be sent again; absent: it can't. */
  etag?: string;
  /** The leads that it was kept for, `<funnel>/<lead>`. */
  leads: readonly string[];
};

export const kindOfPath = (storagePath: string): FileKind =>
  storagePath.slice(storagePath.lastIndexOf('.') + 1) as FileKind;

export const storagePathOf = (orgId: string, blockId: string, uuid: string, kind: FileKind): string =>
  `${orgId}/${blockId}/${uuid}.${kind}`;

export const recordOf = ({ uuid, name, size, mimeType, storagePath }: Upload): FileRecord => ({
  uuid,
  name,
  size,
  mimeType,
  storagePath,
});

/** Records of uploads that are new. */
export type NewUploads = {
  /** @throws Problem 503 while the table is not available */
  add(upload: Upload): Promise<void>;
};

/** Records of uploads that leads refer to. Every method throws Problem 503 while the table is not available. */
export type KeptUploads = {
  /** As it is right now. */
  find(orgId: string, uuid: string): Promise<Upload | undefined>;
  /**
   * Keeps a file for a lead, in one write; again changes nothing. False when the file is not there, not of that block
   * or funnel, expired, in another state than kept or `from`, or kept for too many leads.
   */
  keep(file: KeptFile, from: 'stored' | 'unverified', nowMs: number): Promise<boolean>;
};

/** A file that a lead's field refers to. */
export type KeptFile = {
  orgId: string;
  uuid: string;
  funnelId: string;
  leadId: string;
  /** The block that it must come from; undefined: any of the funnel. */
  blockId: string | undefined;
};

/** The files themselves, by storage path. */
export type FileStore = {
  /** @returns the content's entity tag */
  put(path: string, content: Buffer): Promise<string>;
  /** Its size, first bytes and entity tag; undefined when it is not there. */
  head(path: string, bytes: number): Promise<{ size: number; head: Buffer; etag: string } | undefined>;
};
