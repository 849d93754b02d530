import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import type { ClientPseudonyms } from '../limits/client-pseudonym.ts';
import type { FileKind } from './file-type.ts';

/** Largest file through the function: Lambda's limit of 6 MB for a request, less a third for base64. */
export const FUNCTION_FILE_BYTES_MAX = 4 * 1024 * 1024;
/** A file that no lead references is deleted after this time. */
export const UNREFERENCED_TTL_MS = 7 * 86_400_000;
/** How long a direct upload may be sent, and repeated; its bytes stay reserved for as long. */
export const DIRECT_UPLOAD_TTL_SECONDS = 900;
/** Longer than a submit takes from attaching a file to saving its lead, and longer than one inspection by the sweeper. */
export const RECHECK_DELAY_MS = 15 * 60_000;
/** A visitor's file in more leads than this is a mistake. */
export const LEADS_PER_FILE_MAX = 20;

/** An uploaded file as the API returns it. */
export const FileRecord = withDocs(
  z.object({
    uuid: withDocs(z.string(), docText(`The value of a \`file\` field, in at most ${LEADS_PER_FILE_MAX} leads.`)),
    name: z.string(),
    size: withDocs(z.int(), docText('Bytes.')),
    mimeType: withDocs(z.string(), docText('The type detected from the content, not the one in the request.')),
    storagePath: z.string(),
  }),
  { id: 'UploadedFile' },
);
export type FileRecord = z.infer<typeof FileRecord>;

/**
 * - `pending`: a direct upload was started; its file may have been sent, but was not inspected.
 * - `stored`: inspected in whole, no lead references it.
 * - `attached`: a lead references it.
 * - `rejected`: attached, then found to be of another type or not inspectable, and deleted.
 * - `deleting`: no lead can reference it any more.
 */
export type UploadState = 'pending' | 'stored' | 'attached' | 'rejected' | 'deleting';

export type UploadIds = { orgId: string; uuid: string };

/** The record of an uploaded file. */
export type Upload = FileRecord &
  UploadIds & {
    blockId: string;
    funnelId: string;
    state: UploadState;
    /** The whole content was inspected, and an image or movie has no location in its metadata. */
    isInspected: boolean;
    createdAtMs: number;
    /** When the sweeper processes it next. */
    dueAtMs: number;
    /** References of the leads that it was attached to, see `formatLeadReference`. */
    leads: readonly string[];
    /** Of a direct upload, until the sweeper has looked for its file: the client whose quota the bytes are reserved in. */
    reservation?: ClientPseudonyms;
    /** Inspections that began and came to no result. */
    attempts?: number;
    /** Why it is `rejected`; absent: its content is not of the type that was claimed. */
    reason?: 'not_inspectable';
    /** One of its leads was erased: delete it as soon as no lead references it. */
    deleteWhenUnreferenced?: true;
  };

/** A file that a lead's field references. */
export type FileReference = UploadIds & {
  funnelId: string;
  leadId: string;
  /** The block that it must come from; undefined: any block of the funnel. */
  blockId: string | undefined;
};

/** The stored kind of a file, from the extension of its storage path. */
export const kindOfPath = (storagePath: string): FileKind =>
  storagePath.slice(storagePath.lastIndexOf('.') + 1) as FileKind;

export const storagePathOf = (orgId: string, blockId: string, uuid: string, kind: FileKind): string =>
  `${orgId}/${blockId}/${uuid}.${kind}`;

/** Direct uploads arrive under another key than the one that files are read from, which no presigned form names. */
export const INCOMING_PREFIX = 'incoming/';
export const incomingPathOf = (storagePath: string): string => `${INCOMING_PREFIX}${storagePath}`;

export const toFileRecord = ({ uuid, name, size, mimeType, storagePath }: Upload): FileRecord => ({
  uuid,
  name,
  size,
  mimeType,
  storagePath,
});
