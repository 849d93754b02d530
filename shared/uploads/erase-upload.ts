import type { Clock } from '../platform/clock.ts';
import type { ErasableUploads } from './erasable-uploads.ts';
import type { UploadSweepPorts } from './sweep-uploads.ts';
import { DIRECT_UPLOAD_TTL_SECONDS, RECHECK_DELAY_MS, type Upload } from './upload.ts';

export type EraseUploadPorts = {
  uploads: ErasableUploads;
  files: Pick<UploadSweepPorts['files'], 'delete' | 'deleteIncoming'>;
  clock: Clock;
};

/** `removed`: nothing of the file is left; `shared`: another lead has it too; `none`: the lead has no such file. */
export type UploadErasureOutcome = 'removed' | 'shared' | 'none';

const ATTEMPTS = 8;
const MINUTE_MS = 60_000;

/** What an erasure would do to a file that a lead names. */
export function planUploadErasure({ leads, funnelId }: Upload, lead: string): UploadErasureOutcome {
  // A file that was never kept is its visitor's who names it; nobody else knows the uuid.
  if (leads.length === 0) return lead.startsWith(`${funnelId}/`) ? 'removed' : 'none';
  if (!leads.includes(lead)) return 'none';
  return leads.length === 1 ? 'removed' : 'shared';
}

/**
 * Takes a lead's file away: the object, what was sent for it, then the record. A file that was kept for another lead
 * too only forgets this one: a submit that is at it is never overruled. Each step is a state that a repetition, or the
 * sweeper, goes on from.
 *
 * @param lead `<funnel>/<lead>`
 * @throws Error when the record is changed under it again and again
 */
export async function eraseUpload(
  ports: EraseUploadPorts,
  { orgId, uuid }: { orgId: string; uuid: string },
  lead: string,
): Promise<UploadErasureOutcome> {
  const { uploads, clock } = ports;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const upload = await uploads.find(orgId, uuid);
    const fate = upload === undefined ? 'none' : planUploadErasure(upload, lead);
    if (upload === undefined || fate === 'none') return 'none';
    if (fate === 'shared') {
      if (await uploads.detachLead(upload, lead)) return 'shared';
      continue;
    }
    const untilMs = Math.max(clock.now(), keepRecordUntilMs(upload, clock.now()));
    if (upload.state !== 'removing' && !(await uploads.markDeleting(upload, untilMs))) continue;
    await ports.files.deleteIncoming(upload.storagePath);
    await ports.files.delete(upload.storagePath);
    if (untilMs <= clock.now()) await uploads.delete(upload);
    return 'removed';
  }
  throw new Error('An uploaded file is being changed by others again and again: try again in a minute.');
}

/**
 * How long somebody may still put the object back: the sweeper while it looks at it, the page as long as the form that
 * it got is valid. So long the record stays, for the sweeper, which then removes all again.
 */
const keepRecordUntilMs = ({ inspected, createdAtMs }: Upload, nowMs: number): number =>
  Math.max(inspected ? 0 : nowMs + RECHECK_DELAY_MS, createdAtMs + DIRECT_UPLOAD_TTL_SECONDS * 1_000 + MINUTE_MS);
