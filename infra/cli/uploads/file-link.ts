import type { Clock } from '../../../shared/platform/clock.ts';
import { UNREFERENCED_TTL_MS, type Upload } from '../../../shared/uploads/upload.ts';

/** A link with which anyone can download one file until it expires. */
export type FileLink = { url: string; name: string; size: number; mimeType: string; expiresAt: string };

export type FileLinkPorts = {
  uploads: {
    find(orgId: string, uuid: string): Promise<Upload | undefined>;
    /** Only for operators, because the API must not read a file without checking its organization. */
    findInAnyOrganization(uuid: string): Promise<Upload | undefined>;
  };
  /** Presigns a download. Browsers save the file as `name` instead of displaying it. */
  sign(path: string, name: string): Promise<{ url: string; expiresAt: string }>;
  clock: Clock;
};

/**
 * Creates an operator's link to an uploaded file.
 *
 * @param file if `orgId` is absent, all organizations are searched
 * @throws Error, with a message for the operator, if the file does not exist, expired, was rejected or is not inspected
 */
export async function createFileLink(ports: FileLinkPorts, file: { orgId?: string; uuid: string }): Promise<FileLink> {
  const { uploads, clock } = ports;
  const { orgId, uuid } = file;
  const upload = await (orgId === undefined ? uploads.findInAnyOrganization(uuid) : uploads.find(orgId, uuid));
  if (upload === undefined || upload.state === 'deleting')
    throw new Error(
      orgId === undefined
        ? `There is no file ${uuid}: see \`uuid\` in the data of a lead.`
        : `The organization has no file ${uuid}: omit --organization to search all organizations.`,
    );
  const { name, size, mimeType, storagePath, state, isInspected, createdAtMs } = upload;
  if (state === 'rejected') throw new Error(`The file was deleted: ${REJECTED[upload.reason ?? 'other_content']}.`);
  if (state !== 'attached' && createdAtMs + UNREFERENCED_TTL_MS <= clock.now()) {
    throw new Error('The file has expired: no lead referenced it within 7 days.');
  }
  if (!isInspected) throw new Error(state === 'attached' ? NOT_INSPECTED : NOT_REFERENCED);
  return { ...(await ports.sign(storagePath, name)), name, size, mimeType };
}

const REJECTED = {
  other_content: 'its content was missing or did not match its type',
  not_inspectable: 'it could not be inspected in three attempts',
};

const NOT_INSPECTED = 'The file is not inspected yet: try again in a few minutes.';
const NOT_REFERENCED = 'The file is not inspected yet, because no lead refers to it.';

/** Returns a Content-Disposition header with which browsers save a file under this name (RFC 6266, RFC 8187). */
export function attachmentDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
