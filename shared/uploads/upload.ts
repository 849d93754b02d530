import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import type { ClientPseudonyms } from '../limits/client-pseudonym.ts';
import type { FileKind } from './file-type.ts';

/** Through the function: what Lambda takes of a call, less a third for base64. */
export const FUNCTION_FILE_BYTES_MAX = 4 * 1024 * 1024;
/** A file that no lead refers to is gone after this time. */
export const UNREFERENCED_TTL_MS = 7 * 86_400_000;
/** How long an announced file may be sent to the store, also again; so long its bytes are reserved. */
export const DIRECT_UPLOAD_TTL_SECONDS = 900;
/** Longer than a submit takes from keeping a file to saving its lead, and the sweeper to look at one file. */
export const RECHECK_DELAY_MS = 15 * 60_000;
/** One visitor's file in so many leads is a mistake. */
export const LEADS_PER_FILE_MAX = 20;

/** What callers are told of an uploaded file. */
export const FileRecord = withDocs(
  z.object({
    uuid: withDocs(z.string(), docText(`The value of a \`file\` field, in at most ${LEADS_PER_FILE_MAX} leads.`)),
    name: z.string(),
    size: withDocs(z.int(), docText('Bytes.')),
    mimeType: withDocs(z.string(), docText('What the content is, whatever was claimed.')),
    storagePath: z.string(),
  }),
  { id: 'UploadedFile' },
);
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
  /** The leads that it was kept for, `<funnel>/<lead>`. */
  leads: readonly string[];
  /** Of an announced file whose arrival was not looked for yet: the address that its bytes are reserved for. */
  reservation?: ClientPseudonyms;
  /** Inspections of its content that began and never came to a result. */
  attempts?: number;
  /** Why it is `refused`; without it, the content is not what it was said to be. */
  reason?: 'not_inspectable';
  /** Somebody of whom it was is erased: it goes as soon as no lead refers to it. */
  erased?: true;
};

export const kindOfPath = (storagePath: string): FileKind =>
  storagePath.slice(storagePath.lastIndexOf('.') + 1) as FileKind;

export const storagePathOf = (orgId: string, blockId: string, uuid: string, kind: FileKind): string =>
  `${orgId}/${blockId}/${uuid}.${kind}`;

/** Where pages send what they announced: under another key than the file's own, which no signed form ever names. */
export const INCOMING_PREFIX = 'incoming/';
export const incomingPathOf = (storagePath: string): string => `${INCOMING_PREFIX}${storagePath}`;

export const toFileRecord = ({ uuid, name, size, mimeType, storagePath }: Upload): FileRecord => ({
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
  attach(file: FileReference, from: 'stored' | 'unverified', nowMs: number): Promise<boolean>;
};

/** A file that a lead's field refers to. */
export type FileReference = {
  orgId: string;
  uuid: string;
  funnelId: string;
  leadId: string;
  /** The block that it must come from; undefined: any of the funnel. */
  blockId: string | undefined;
};

/** What pages sent to the store for announced files, by the storage path that it is meant for. */
export type IncomingFileStore = {
  /** Its size, first bytes and entity tag; undefined when nothing was sent. */
  head(path: string, bytes: number): Promise<{ size: number; head: Buffer; etag: string } | undefined>;
  /**
   * Puts what was sent to the storage path itself; what stands there already stays.
   *
   * @param etag of the content that was looked at
   * @returns false when there is other content by now or another call is at it: it must be looked at again
   */
  promote(path: string, etag: string): Promise<boolean>;
};
