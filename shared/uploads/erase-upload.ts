import type { Clock } from '../platform/clock.ts';
import { parseLeadReference } from './lead-reference.ts';
import type { FileStore, UploadRepository } from './ports.ts';
import { DIRECT_UPLOAD_TTL_SECONDS, RECHECK_DELAY_MS, type Upload, type UploadIds } from './upload.ts';

export type EraseUploadPorts = {
  uploads: Pick<UploadRepository, 'find' | 'detachLead' | 'markDeleting' | 'delete'>;
  files: Pick<FileStore, 'delete' | 'deleteIncoming'>;
  clock: Clock;
};

/** `erased`: nothing of the file is left; `shared`: another lead has it too; `none`: the lead has no such file. */
export type UploadErasureOutcome = 'erased' | 'shared' | 'none';

const ATTEMPTS = 8;
const CLOCK_SKEW_MS = 60_000;

/** What an erasure would do to a file that a lead references. */
export function planUploadErasure({ leads, funnelId }: Upload, lead: string): UploadErasureOutcome {
  // A file that was never attached belongs to the visitor who names it: only they know its uuid.
  if (leads.length === 0) return parseLeadReference(lead).funnelId === funnelId ? 'erased' : 'none';
  if (!leads.includes(lead)) return 'none';
  return leads.length === 1 ? 'erased' : 'shared';
}

/**
 * Erases a lead's file: the object, its direct upload, then the record. A file that another lead has too is only
 * detached from this one. A concurrent submit takes precedence, and a repetition or the sweeper continues after any step.
 *
 * @param lead a lead reference
 * @throws Error when the record changed during every attempt
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
  throw new Error('An uploaded file is being changed by other requests: try again in a minute.');
}

/**
 * Until when the object can reappear: the sweeper writes it back after an inspection, and the page can send it until
 * its presigned form expires. The record stays until then, so that the sweeper deletes the object again.
 */
const keepRecordUntilMs = ({ isInspected, createdAtMs }: Upload, nowMs: number): number =>
  Math.max(isInspected ? 0 : nowMs + RECHECK_DELAY_MS, createdAtMs + DIRECT_UPLOAD_TTL_SECONDS * 1_000 + CLOCK_SKEW_MS);
