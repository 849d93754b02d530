import { setTimeout as delay } from 'node:timers/promises';
import { HttpError } from '../http/errors.ts';
import type { AttachFilePorts } from './attach-file.ts';
import { detectKindsFromHead } from './content/detect-kinds-from-head.ts';
import { type FileReference, kindOfPath, LEADS_PER_FILE_MAX, UNREFERENCED_TTL_MS, type Upload } from './upload.ts';

const HEAD_BYTES = 4_096;
const ATTEMPTS = 5;
const PAUSE_MS = 20;
/** As long as a submit may still be at a file: what is taken later would be left over when its record is gone. */
const TAKEN_WITHIN_MS = 60_000;

const REFUSED = {
  other_content: 'The file was refused, because its content does not match its type.',
  not_inspectable: 'The file was refused, because it could not be inspected.',
};
const MISSING = 'There is no uploaded file with this uuid for this field.';

/**
 * Keeps a file that could not be kept as it was: an announced one is looked at, size and first bytes, and exactly what
 * was looked at is taken to its place, where its signed form does not reach. Other submits may do the same at once:
 * whoever finds the record changed begins anew.
 *
 * @returns what is wrong with the file, as a sentence; undefined when it is kept
 * @throws Problem 503 when it was changed under this submit again and again
 */
export async function attachPendingFile(
  ports: AttachFilePorts,
  file: FileReference,
  nowMs: number,
): Promise<string | undefined> {
  const { uploads } = ports;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const upload = await uploads.find(file.orgId, file.uuid);
    if (upload === undefined || !isTaken(upload, file, nowMs)) return MISSING;
    if (upload.state === 'refused') return REFUSED[upload.reason ?? 'other_content'];
    if (upload.state === 'kept' && upload.leads.length >= LEADS_PER_FILE_MAX) return 'Too many leads use this file.';
    const look = upload.state === 'unverified' ? await takeSent(ports, upload) : 'overtaken';
    if (look === 'taken' && (await uploads.attach(file, 'unverified', nowMs))) return undefined;
    // Another submit may have been faster.
    if (await uploads.attach(file, 'stored', nowMs)) return undefined;
    if (typeof look === 'object') return look.fault;
    await delay(PAUSE_MS * 2 ** attempt * Math.random());
  }
  throw new HttpError(503, 'Other submits are using the uploaded file. Try again shortly.', {
    headers: { 'Retry-After': '1' },
  });
}

function isTaken({ state, createdAtMs, blockId, funnelId }: Upload, file: FileReference, nowMs: number): boolean {
  const isOfPlace = file.blockId === undefined ? funnelId === file.funnelId : blockId === file.blockId;
  const livesMs = state === 'unverified' ? UNREFERENCED_TTL_MS - TAKEN_WITHIN_MS : UNREFERENCED_TTL_MS;
  const isAlive = state === 'kept' || state === 'refused' || createdAtMs > nowMs - livesMs;
  return isOfPlace && isAlive && state !== 'removing';
}

async function takeSent(
  { incoming: sent }: AttachFilePorts,
  { storagePath, size }: Upload,
): Promise<'taken' | 'overtaken' | { fault: string }> {
  const found = await sent.head(storagePath, HEAD_BYTES);
  if (found === undefined) return { fault: 'The file was announced but not sent.' };
  const asAnnounced = found.size === size && detectKindsFromHead(found.head).includes(kindOfPath(storagePath));
  if (!asAnnounced) return { fault: 'The size or the content of the file differs from what was announced.' };
  return (await sent.promote(storagePath, found.etag)) ? 'taken' : 'overtaken';
}
