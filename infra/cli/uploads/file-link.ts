import type { Clock } from '../../../shared/platform/clock.ts';
import { UNREFERENCED_TTL_MS, type Upload } from '../../../shared/uploads/upload.ts';

/** A link that anyone can use to download one file until it expires. */
export type FileLink = { url: string; name: string; size: number; mimeType: string; expiresAt: string };

export type FileLinkPorts = {
  uploads: {
    find(orgId: string, uuid: string): Promise<Upload | undefined>;
    /** In any organization; for operators only. */
    findInAnyOrganization(uuid: string): Promise<Upload | undefined>;
  };
  /** Signs a download link for the object, which a browser can only save, under that name. */
  sign(path: string, name: string): Promise<{ url: string; expiresAt: string }>;
  clock: Clock;
};

/**
 * Creates an operator's link to an uploaded file.
 *
 * @param asked without `orgId`, searches all organizations
 * @throws Error with a message if the file is unknown, expired, rejected, or not inspected yet
 */
export async function createFileLink(ports: FileLinkPorts, asked: { orgId?: string; uuid: string }): Promise<FileLink> {
  const { uploads, clock } = ports;
  const { orgId, uuid } = asked;
  const upload = await (orgId === undefined ? uploads.findInAnyOrganization(uuid) : uploads.find(orgId, uuid));
  if (upload === undefined || upload.state === 'removing') throw new Error('There is no such file.');
  const { name, size, mimeType, storagePath, state, inspected, createdAtMs } = upload;
  if (state === 'refused') throw new Error(`The file was deleted: ${REFUSED[upload.reason ?? 'other_content']}.`);
  if (state !== 'kept' && createdAtMs + UNREFERENCED_TTL_MS <= clock.now()) {
    throw new Error('The file has expired: no lead referred to it within 7 days.');
  }
  if (!inspected) throw new Error(NOT_LOOKED_AT[state === 'kept' ? 'kept' : 'announced']);
  return { ...(await ports.sign(storagePath, name)), name, size, mimeType };
}

const REFUSED = {
  other_content: 'its content is not what it was said to be',
  not_inspectable: 'it could not be inspected within the time limit, three times',
};

const NOT_LOOKED_AT = {
  kept: 'The file is still being looked at; try again in some minutes.',
  announced: 'The file was announced, but no lead refers to it yet: only then it is looked at.',
};

/** A Content-Disposition that saves a file under its name (RFC 6266, RFC 8187). */
export function attachmentDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
