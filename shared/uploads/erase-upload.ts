import type { Clock } from '../platform/clock.ts';
import { parseLeadReference } from './lead-reference.ts';
import type { FileStore, UploadRepository } from './ports.ts';
import { DIRECT_UPLOAD_TTL_SECONDS, RECHECK_DELAY_MS, type Upload, type UploadIds } from './upload.ts';

export type EraseUploadPorts = {
  uploads: Pick<UploadRepository, 'find' | 'detachLead' | 'markDeleting' | 'delete'>;
  files: Pick<FileStore, 'delete' | 'deleteIncoming'>;
  clock: Clock;
};

/**
 * `erased`: the file is deleted. `shared`: the file stays, because it is also attached to another lead. `none`: the
 * file does not exist or does not belong to the lead.
 */
export type UploadErasureOutcome = 'erased' | 'shared' | 'none';

const ATTEMPTS = 8;
const CLOCK_SKEW_MS = 60_000;

/** Returns the outcome that an erasure of the file would have. @param lead a lead reference */
export function planUploadErasure({ leads, funnelId }: Upload, lead: string): UploadErasureOutcome {
  // Only the visitor who uploaded the file knows its uuid. A lead that contains the uuid is therefore this visitor's
  // lead.
  if (leads.length === 0) return parseLeadReference(lead).funnelId === funnelId ? 'erased' : 'none';
  if (!leads.includes(lead)) return 'none';
  return leads.length === 1 ? 'erased' : 'shared';
}

/**
 * Erases a file of a lead: first the direct upload, then the object, then the record. If the object can still reappear
 * (see `keepRecordUntilMs`), the record stays for the sweeper. If the file is also attached to another lead, only
 * detaches it from this lead. A second `eraseUpload` or the sweeper continues an interrupted erasure.
 *
 * @param lead a lead reference
 * @throws Error if the record changed during every attempt. Also rethrows the errors of the table and the store
 */
export async function eraseUpload(
  ports: EraseUploadPorts,
  { orgId, uuid }: UploadIds,
  lead: string,
): Promise<UploadErasureOutcome> {
  const { uploads, clock } = ports;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const upload = await uploads.find(orgId, uuid);
    const plan = upload === undefined ? 'none' : planUploadErasure(upload, lead);
    if (upload === undefined || plan === 'none') return 'none';
    if (plan === 'shared') {
      if (await uploads.detachLead(upload, lead)) return 'shared';
      continue;
    }
    const untilMs = Math.max(clock.now(), keepRecordUntilMs(upload, clock.now()));
    if (upload.state !== 'deleting' && !(await uploads.markDeleting(upload, untilMs))) continue;
    await ports.files.deleteIncoming(upload.storagePath);
    await ports.files.delete(upload.storagePath);
    if (untilMs <= clock.now()) await uploads.delete(upload);
    return 'erased';
  }
  throw new Error(`The uploaded file ${uuid} changed during every attempt to erase it. Try again in a minute.`);
}

/**
 * Until this time, the object can reappear: the sweeper can write it back after an inspection, or the page can send the
 * presigned form. The record stays until then, so that the sweeper deletes the object again.
 */
const keepRecordUntilMs = ({ isInspected, createdAtMs }: Upload, nowMs: number): number =>
  Math.max(isInspected ? 0 : nowMs + RECHECK_DELAY_MS, createdAtMs + DIRECT_UPLOAD_TTL_SECONDS * 1_000 + CLOCK_SKEW_MS);
