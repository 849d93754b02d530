import { setTimeout as delay } from 'node:timers/promises';
import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { detectKindsFromHead } from './content/detect-kinds.ts';
import type { IncomingFileStore, UploadRepository } from './ports.ts';
import { type FileReference, kindOfPath, LEADS_PER_FILE_MAX, UNREFERENCED_TTL_MS, type Upload } from './upload.ts';

const HEAD_BYTES = 4_096;
const ATTEMPTS = 5;
const RETRY_DELAY_MS = 20;
/**
 * If the record of a direct upload can be deleted within this time, the upload is not promoted. Otherwise the promotion
 * could write the object after the deletion, and nothing would delete the object. A submit takes less than this time.
 */
const PROMOTION_MARGIN_MS = 60_000;

const REJECTED = {
  other_content:
    'The file was rejected, because its content is missing, has the wrong size or does not match its type. ' +
    'Upload another file.',
  not_inspectable: 'The file was rejected, because it could not be inspected. Upload another file.',
};
const NOT_FOUND = 'There is no uploaded file with this uuid for this field. Upload the file again.';

export type AttachFilePorts = {
  uploads: Pick<UploadRepository, 'find' | 'addLeadReference'>;
  incoming: IncomingFileStore;
  clock: Clock;
};

/**
 * Attaches files to leads. If the file is `stored` or `attached`, needs only one write. `attach` returns undefined, or
 * the reason why the file cannot be attached. It throws UnavailableError while the table or the store is unavailable,
 * and HttpError 503 if the file or its record changes during every attempt.
 */
export const createFileAttacher = (ports: AttachFilePorts) => ({
  attach: async (file: FileReference): Promise<string | undefined> => {
    const nowMs = ports.clock.now();
    // This write also succeeds for a file in the state `attached`.
    if (await ports.uploads.addLeadReference(file, 'stored', nowMs)) return undefined;
    return attachOtherFile(ports, file, nowMs);
  },
});

/**
 * Handles a file that is pending or cannot be attached. Inspects size and first bytes of a pending file, and copies the
 * inspected content to the storage path, where the presigned form can't overwrite it. Retries if a concurrent request
 * has changed the file or its record.
 */
async function attachOtherFile(
  ports: AttachFilePorts,
  file: FileReference,
  nowMs: number,
): Promise<string | undefined> {
  const { uploads } = ports;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const upload = await uploads.find(file.orgId, file.uuid);
    if (upload === undefined || !isAttachable(upload, file, nowMs)) return NOT_FOUND;
    if (upload.state === 'rejected') return REJECTED[upload.reason ?? 'other_content'];
    if (upload.state === 'attached' && upload.leads.length >= LEADS_PER_FILE_MAX)
      return 'Too many leads use this file. Upload the file again.';
    const promotion = upload.state === 'pending' ? await promoteIncoming(ports, upload) : 'not_pending';
    if (promotion === 'promoted' && (await uploads.addLeadReference(file, 'pending', nowMs))) return undefined;
    // This write succeeds if a concurrent submit has attached the file in the meantime.
    if (await uploads.addLeadReference(file, 'stored', nowMs)) return undefined;
    if (typeof promotion === 'object') return promotion.error;
    await delay(RETRY_DELAY_MS * 2 ** attempt * Math.random());
  }
  throw new HttpError(503, 'The uploaded file is being changed at the moment. Try again shortly.', {
    headers: { 'Retry-After': '1' },
  });
}

function isAttachable({ state, createdAtMs, blockId, funnelId }: Upload, file: FileReference, nowMs: number): boolean {
  const isFromBlock = file.blockId === undefined ? funnelId === file.funnelId : blockId === file.blockId;
  const ttlMs = state === 'pending' ? UNREFERENCED_TTL_MS - PROMOTION_MARGIN_MS : UNREFERENCED_TTL_MS;
  const isAlive = state === 'attached' || state === 'rejected' || createdAtMs > nowMs - ttlMs;
  return isFromBlock && isAlive && state !== 'deleting';
}

async function promoteIncoming(
  { incoming }: AttachFilePorts,
  { storagePath, size }: Upload,
): Promise<'promoted' | 'conflict' | { error: string }> {
  const found = await incoming.head(storagePath, HEAD_BYTES);
  if (found === undefined) return { error: 'The file was announced but not sent. Upload the file again.' };
  const isAsAnnounced = found.size === size && detectKindsFromHead(found.head).includes(kindOfPath(storagePath));
  if (!isAsAnnounced) {
    return { error: 'The size or the content of the file differs from what was announced. Upload the file again.' };
  }
  return (await incoming.promote(storagePath, found.etag)) ? 'promoted' : 'conflict';
}
