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
import type {
  FileStore,
  PresignedPost,
  UploadBlockLimits,
  UploadBlockReader,
  UploadPresigner,
  UploadRepository,
} from './ports.ts';
import {
  DIRECT_UPLOAD_TTL_SECONDS,
  type FileRecord,
  storagePathOf,
  toFileRecord,
  UNREFERENCED_TTL_MS,
  type Upload,
} from './upload.ts';
import { withClientQuota, withUploadQuota } from './upload-quota.ts';

export type UploadFilePorts = {
  organizations: Pick<OrganizationRepository, 'find'>;
  blocks: UploadBlockReader;
  uploads: Pick<UploadRepository, 'add'>;
  files: Pick<FileStore, 'put'>;
  presign: UploadPresigner;
  limiter: RateLimiter;
  clock: Clock;
  ids: IdGenerator;
};

/** Upper bound of the difference between the clocks of S3 and the function. */
const CLOCK_SKEW_MS = 60_000;

/** The client that uploads, and the log of its request. */
type UploadContext = { client: ClientPseudonyms; log: Logger };

type Target = { organizationId: string; blockId: string };

/**
 * Stores a file that was sent in the request. Inspects its content, and removes the location from images and movies.
 *
 * @throws HttpError 404 for an unknown organization or block, 413 for a file that is too large, 415 if the block does
 *   not accept the type or the content and the name do not match, 429 if a daily quota is exceeded; UnavailableError
 */
export async function storeFile(
  ports: UploadFilePorts,
  { file, ...target }: Target & { file: { name: string; content: Buffer } },
  context: UploadContext,
): Promise<FileRecord> {
  const { organization, block } = await findTarget(ports, target);
  const { content } = file;
  assertSize(content.length, block.bytesMax);
  const name = sanitizeFileName(file.name);
  // Loaded on demand, because the module contains the parsers of all formats, and direct uploads don't need them.
  const { sanitizeContent } = await import('./content/sanitize-content.ts');
  const kind = sanitizeContent(content, name, block.acceptedTypes);
  if (kind === undefined) throw unsupportedType();
  const upload = newUpload(ports, { organization, block, kind, name, size: content.length });
  return withQuotas(ports, { organization, bytes: content.length, ...context }, async () => {
    // The record is written first, so that the sweeper finds and deletes the object if a later step fails.
    await ports.uploads.add({ ...upload, state: 'stored', isInspected: true });
    await ports.files.put(upload.storagePath, content);
    return toFileRecord(upload);
  });
}

/**
 * Starts a direct upload, in which the page sends the file to the store itself. Reserves the bytes in the daily quotas.
 * If the file is not sent in time, the sweeper refunds the bytes.
 *
 * @throws the same errors as `storeFile`
 */
export async function startDirectUpload(
  ports: UploadFilePorts,
  { name: sentName, size, mimeType, ...target }: Target & { name: string; size: number; mimeType: string },
  context: UploadContext,
): Promise<{ data: FileRecord; upload: PresignedPost }> {
  const { organization, block } = await findTarget(ports, target);
  assertSize(size, block.bytesMax);
  const name = sanitizeFileName(sentName);
  const kind = kindOfMimeType(mimeType);
  if (kind === undefined || !agreesWithName(kind, name) || !isAccepted(kind, block.acceptedTypes)) {
    throw unsupportedType();
  }
  const upload = newUpload(ports, { organization, block, kind, name, size });
  return withQuotas(ports, { organization, bytes: size, ...context }, async () => {
    const dueAtMs = upload.createdAtMs + DIRECT_UPLOAD_TTL_SECONDS * 1_000 + CLOCK_SKEW_MS;
    await ports.uploads.add({ ...upload, dueAtMs, reservation: context.client });
    const presigned = await ports.presign({ path: upload.storagePath, mimeType: upload.mimeType, size });
    return { data: toFileRecord(upload), upload: presigned };
  });
}

/**
 * Counts the bytes in the client's quota, then in the organization's. If the client's quota is used up, the
 * organization's quota does not change.
 */
const withQuotas = <T>(
  { limiter }: UploadFilePorts,
  { organization, ...usage }: UploadContext & { organization: Organization; bytes: number },
  store: () => Promise<T>,
): Promise<T> => withClientQuota(limiter, usage, () => withUploadQuota(limiter, { organization, ...usage }, store));

async function findTarget({ organizations, blocks }: UploadFilePorts, { organizationId, blockId }: Target) {
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

function assertSize(size: number, bytesMax: number): void {
  if (size > bytesMax) throw new HttpError(413, `The file must have at most ${bytesMax} bytes.`);
}

function agreesWithName(kind: FileKind, name: string): boolean {
  const named = kindOfName(name);
  return named === kind || named === 'none';
}

const unsupportedType = (): HttpError =>
  new HttpError(
    415,
    'This upload block does not accept files of this type, or the content, name and type of the file do not match.',
  );

type NewUpload = { organization: Organization; block: UploadBlockLimits; kind: FileKind; name: string; size: number };

function newUpload({ ids, clock }: UploadFilePorts, { organization, block, kind, name, size }: NewUpload): Upload {
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
    state: 'pending',
    isInspected: false,
    createdAtMs,
    dueAtMs: createdAtMs + UNREFERENCED_TTL_MS,
    leads: [],
  };
}
