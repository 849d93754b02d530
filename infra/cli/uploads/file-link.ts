import type { Clock } from '../../../shared/platform/clock.ts';
import { UNREFERENCED_TTL_MS, type Upload } from '../../../shared/uploads/upload.ts';

/** A link with which anyone can download one file until it expires. */
export type FileLink = { url: string; name: string; size: number; mimeType: string; expiresAt: string };

export type FileLinkPorts = {
  uploads: {
    find(orgId: string, uuid: string): Promise<Upload | undefined>;
    /** For operators only: the API never looks up a file without its organization. */
    findInAnyOrganization(uuid: string): Promise<Upload | undefined>;
  };
  /** Presigns a download that browsers save under this name and never display. */
  sign(path: string, name: string): Promise<{ url: string; expiresAt: string }>;
  clock: Clock;
};

/**
 * Creates an operator's link to an uploaded file.
 *
 * @param file without `orgId` all organizations are searched
 * @throws Error with a message for the operator: no such file, expired, rejected, not inspected yet
 */
export async function createFileLink(ports: FileLinkPorts, file: { orgId?: string; uuid: string }): Promise<FileLink> {
  const { uploads, clock } = ports;
  const { orgId, uuid } = file;
  const upload = await (orgId === undefined ? uploads.findInAnyOrganization(uuid) : uploads.find(orgId, uuid));
  if (upload === undefined || upload.state === 'deleting') throw new Error('There is no such file.');
  const { name, size, mimeType, storagePath, state, isInspected, createdAtMs } = upload;
  if (state === 'rejected') throw new Error(`The file was deleted: ${REJECTED[upload.reason ?? 'other_content']}.`);
  if (state !== 'attached' && createdAtMs + UNREFERENCED_TTL_MS <= clock.now()) {
    throw new Error('The file has expired: no lead referenced it within 7 days.');
  }
  if (!isInspected) throw new Error(state === 'attached' ? NOT_INSPECTED : NOT_REFERENCED);
  return { ...(await ports.sign(storagePath, name)), name, size, mimeType };
}

const REJECTED = {
  other_content: 'its content does not match its type',
  not_inspectable: 'it could not be inspected within the time limit in three attempts',
};

const NOT_INSPECTED = 'The file is not inspected yet: try again in a few minutes.';
const NOT_REFERENCED = 'No lead references the file yet. It is inspected when one does.';

/** A Content-Disposition with which browsers save a file under its name (RFC 6266, RFC 8187). */
export function attachmentDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
