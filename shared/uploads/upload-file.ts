import { HttpError } from '../http/errors.ts';
import type { ClientPseudonyms } from '../limits/client-pseudonym.ts';
import type { Organization } from '../organizations/organization.ts';
import type { OrganizationRepository } from '../organizations/ports.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdGenerator } from '../platform/id-generator.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import { sanitizeFileName } from './file-name.ts';
import { type FileKind, isAccepted, kindOfMimeType, kindOfName, mimeTypeOf } from './file-type.ts';
import {
  DIRECT_UPLOAD_TTL_SECONDS,
  type FileRecord,
  type NewUploads,
  storagePathOf,
  toFileRecord,
  UNREFERENCED_TTL_MS,
  type Upload,
} from './upload.ts';
import { withAddressQuota, withUploadQuota } from './upload-quota.ts';

/** How a page sends a file to the store by itself: a form with these fields before the file. */
export type PresignedPost = { url: string; fields: Record<string, string>; expiresAt: string };

/** The properties of a funnel's upload block that limit an upload. */
type UploadBlock = {
  id: string;
  funnelId: string;
  /** Media types, also `image/*`; absent: all types that the service accepts. */
  acceptedTypes?: string[] | undefined;
  bytesMax: number;
};

export type UploadFilePorts = {
  organizations: OrganizationRepository;
  blocks: { find(orgId: string, blockId: string): Promise<UploadBlock | undefined> };
  uploads: NewUploads;
  files: { put(path: string, content: Buffer): Promise<void> };
  /** Lets exactly this file be sent to the store, where it waits until it is taken to that path. */
  presign: (file: { path: string; mimeType: string; size: number }) => Promise<PresignedPost>;
  limiter: RateLimiter;
  clock: Clock;
  ids: IdGenerator;
};

/** Longer than the store's clock is ahead or behind. */
const LATE_MS = 60_000;

/** The request that brings or announces a file. */
type Request = { address: ClientPseudonyms; log: Logger };

/** Where a file goes, as the page says. */
type Place = { organizationId: string; blockId: string };

/**
 * Takes a file that came with the request: looks at its content, takes the place out of images, stores it.
 *
 * @throws Problem 404 for the organization or the block, 413, 415, 429 for the organization's day, 503
 */
export async function storeFile(
  ports: UploadFilePorts,
  { file, ...place }: Place & { file: { name: string; content: Buffer } },
  request: Request,
): Promise<FileRecord> {
  const { organization, block } = await find(ports, place);
  const { content } = file;
  refuseSize(content.length, block.bytesMax);
  const name = sanitizeFileName(file.name);
  const { sanitizeContent: inspected } = await import('./content/sanitize-content.ts');
  const kind = inspected(content, name, block.acceptedTypes);
  if (kind === undefined) throw notTaken();
  const upload = newUpload(ports, { organization, block, kind, name, size: content.length });
  return within(ports, { organization, bytes: content.length, ...request }, async () => {
    // The record first: what has one is found and removed, whatever happens next.
    await ports.uploads.add({ ...upload, state: 'stored', inspected: true });
    await ports.files.put(upload.storagePath, content);
    return toFileRecord(upload);
  });
}

/**
 * Announces a file that the page will send to the store by itself. Its bytes are counted as reserved; the sweeper
 * releases them when the file was not sent in time.
 *
 * @throws Problem as `receiveFile`
 */
export async function startDirectUpload(
  ports: UploadFilePorts,
  { name: sentName, size, mimeType, ...place }: Place & { name: string; size: number; mimeType: string },
  request: Request,
): Promise<{ data: FileRecord; upload: PresignedPost }> {
  const { organization, block } = await find(ports, place);
  refuseSize(size, block.bytesMax);
  const name = sanitizeFileName(sentName);
  const kind = kindOfMimeType(mimeType);
  if (kind === undefined || !agrees(kind, name) || !isAccepted(kind, block.acceptedTypes)) throw notTaken();
  const upload = newUpload(ports, { organization, block, kind, name, size });
  return within(ports, { organization, bytes: size, ...request }, async () => {
    const dueAtMs = upload.createdAtMs + DIRECT_UPLOAD_TTL_SECONDS * 1_000 + LATE_MS;
    await ports.uploads.add({ ...upload, dueAtMs, reservation: request.address });
    const direct = await ports.presign({ path: upload.storagePath, mimeType: upload.mimeType, size });
    return { data: toFileRecord(upload), upload: direct };
  });
}

/** The address's day first: a visitor who used it up takes nothing from the organization's. */
const within = <T>(
  { limiter }: UploadFilePorts,
  { organization, ...given }: Request & { organization: Organization; bytes: number },
  store: () => Promise<T>,
): Promise<T> => withAddressQuota(limiter, given, () => withUploadQuota(limiter, { organization, ...given }, store));

async function find({ organizations, blocks }: UploadFilePorts, { organizationId, blockId }: Place) {
  const [organization, block] = await Promise.all([
    organizations.find(organizationId),
    blocks.find(organizationId, blockId),
  ]);
  if (organization === undefined || block === undefined) {
    throw new HttpError(
      404,
      'There is no upload block with this id in the organization (body.blockId, body.organizationId).',
    );
  }
  return { organization, block };
}

function refuseSize(size: number, bytesMax: number): void {
  if (size > bytesMax) throw new HttpError(413, `The file must have at most ${bytesMax} bytes.`);
}

function agrees(kind: FileKind, name: string): boolean {
  const named = kindOfName(name);
  return named === kind || named === 'none';
}

const notTaken = (): HttpError =>
  new HttpError(
    415,
    'This upload block does not accept files of this type, or the content, name and type of the file do not match.',
  );

type New = { organization: Organization; block: UploadBlock; kind: FileKind; name: string; size: number };

function newUpload({ ids, clock }: UploadFilePorts, { organization, block, kind, name, size }: New): Upload {
  const uuid = ids.uuid();
  const createdAtMs = clock.now();
  return {
    orgId: organization.id,
    blockId: block.id,
    funnelId: block.funnelId,
    uuid,
    name,
    size,
    mimeType: mimeTypeOf(kind),
    storagePath: storagePathOf(organization.id, block.id, uuid, kind),
    state: 'unverified',
    inspected: false,
    createdAtMs,
    dueAtMs: createdAtMs + UNREFERENCED_TTL_MS,
    leads: [],
  };
}
