import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import type { ClientPseudonyms } from '../limits/client-pseudonym.ts';
import type { FileKind } from './file-type.ts';

/**
 * Maximum size of a file that is sent in a request, in bytes. Lambda accepts requests of 6 MB, and base64 makes a file
 * a third larger.
 */
export const FUNCTION_FILE_BYTES_MAX = 4 * 1024 * 1024;
/** If no lead references a file, the file is deleted when this time has passed since its upload. */
export const UNREFERENCED_TTL_MS = 7 * 86_400_000;
/** How long a direct upload can be sent, even repeatedly. Its bytes stay reserved at least this long. */
export const DIRECT_UPLOAD_TTL_SECONDS = 900;
/**
 * Delay until the sweeper processes an upload again. By that time, a submit that has attached the file has also saved
 * its lead, and a running inspection of the file has ended.
 */
export const RECHECK_DELAY_MS = 15 * 60_000;
/** Maximum number of leads that can reference a file. One visitor does not need more. */
export const LEADS_PER_FILE_MAX = 20;

/** An uploaded file as the API returns it. */
export const FileRecord = withDocs(
  z.object({
    uuid: withDocs(z.string(), docText(`The value for a \`file\` field, in at most ${LEADS_PER_FILE_MAX} leads.`)),
    name: z.string(),
    size: withDocs(z.int(), docText('Bytes.')),
    mimeType: withDocs(z.string(), docText('Detected from the content. For a direct upload, taken from the request.')),
    storagePath: z.string(),
  }),
  { id: 'UploadedFile' },
);
export type FileRecord = z.infer<typeof FileRecord>;

/**
 * - `pending`: a direct upload that no lead references. The file may have been sent, but was not inspected in whole.
 * - `stored`: the file was inspected in whole, and no lead references it.
 * - `attached`: a lead references the file. The lead may not be saved yet.
 * - `rejected`: the attached file was missing, had another size or type, or could not be inspected. It is deleted.
 * - `deleting`: no lead can reference the file any more.
 */
export type UploadState = 'pending' | 'stored' | 'attached' | 'rejected' | 'deleting';

export type UploadIds = { orgId: string; uuid: string };

/** The record of an uploaded file. */
export type Upload = FileRecord &
  UploadIds & {
    blockId: string;
    funnelId: string;
    state: UploadState;
    /**
     * Whether the inspection has ended: the file was rejected, or its whole content was inspected and the location was
     * removed from its metadata.
     */
    isInspected: boolean;
    createdAtMs: number;
    /** When the sweeper processes the upload next. */
    dueAtMs: number;
    /** References of the leads to which the file is attached, see `formatLeadReference`. */
    leads: readonly string[];
    /**
     * The client whose quotas count the bytes of a direct upload. Removed once the sweeper has found the file, or the
     * file was inspected. Absent for other uploads.
     */
    reservation?: ClientPseudonyms;
    /** Number of inspections that began and came to no result. */
    attempts?: number;
    /** Why the file is `rejected`. Absent: the content is missing, has another size or does not match the type. */
    reason?: 'not_inspectable';
    /** Set if a lead that referenced the file was erased. The file is then deleted as soon as no lead references it. */
    deleteWhenUnreferenced?: true;
  };

/** A file that a lead's field references. */
export type FileReference = UploadIds & {
  funnelId: string;
  leadId: string;
  /** The block from which the file must come; undefined: any block of the funnel. */
  blockId: string | undefined;
};

/** Returns the kind of a stored file, which is the extension of its storage path. */
export const kindOfPath = (storagePath: string): FileKind =>
  storagePath.slice(storagePath.lastIndexOf('.') + 1) as FileKind;

export const storagePathOf = (orgId: string, blockId: string, uuid: string, kind: FileKind): string =>
  `${orgId}/${blockId}/${uuid}.${kind}`;

/**
 * Prefix of the keys of direct uploads. A presigned form can write only one key with this prefix, so it can't change
 * the file at the storage path.
 */
export const INCOMING_PREFIX = 'incoming/';
export const incomingPathOf = (storagePath: string): string => `${INCOMING_PREFIX}${storagePath}`;

export const toFileRecord = ({ uuid, name, size, mimeType, storagePath }: Upload): FileRecord => ({
  uuid,
  name,
  size,
  mimeType,
  storagePath,
});
