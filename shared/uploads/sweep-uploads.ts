import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { sweep } from '../platform/sweeper.ts';
import { runWithTimeLimit } from '../platform/time-limit.ts';
import type { StoredContentResult } from './content/sanitize-content.ts';
import type { FileKind } from './file-type.ts';
import type { FileStore, UploadChanges, UploadRepository } from './ports.ts';
import { kindOfPath, RECHECK_DELAY_MS, UNREFERENCED_TTL_MS, type Upload, type UploadIds } from './upload.ts';

export type UploadSweepPorts = {
  uploads: Pick<UploadRepository, 'find' | 'findDue' | 'update' | 'delete'>;
  files: FileStore;
  /** Inspects a whole file and alters `content` in place. It may hang or throw, so it runs with a time limit. */
  inspect(content: Buffer, kind: FileKind): StoredContentResult;
  /** Refunds the bytes that are reserved for a file that was never sent. Never throws. */
  releaseReservation(upload: Upload): Promise<void>;
  /** Whether the lead's data contains the file's uuid. @param lead a lead reference */
  isReferencedByLead(lead: string, uuid: string): Promise<boolean>;
  clock: Clock;
  log: Logger;
};

/** The outcome of a due upload. */
export type UploadSweepOutcome =
  /** A lead still references it. */
  | 'referenced'
  /** No lead references it any more. It can be attached to another lead until it expires. */
  | 'detached'
  | 'deleted'
  /** Its content matches its type. */
  | 'inspected'
  /** Its content does not match its type. The file is deleted. */
  | 'rejected'
  /** Its inspection did not complete, and is retried after all others. */
  | 'inspection_postponed'
  /** Its inspection did not complete in any attempt. The file is deleted. */
  | 'inspection_abandoned'
  /** Its direct upload arrived in time. */
  | 'arrived'
  /** Its direct upload did not arrive in time. Its bytes are refunded. */
  | 'reservation_released'
  /** It changed meanwhile. */
  | 'conflict'
  /** An unexpected error. It is retried later. */
  | 'error';

const REFERENCE_CHECK_INTERVAL_MS = 7 * 86_400_000;
const RUN_MS_MAX = 55_000;

/** Inspections of one file, after which it is rejected. */
const ATTEMPTS_MAX = 3;
/** Longer than a run: an attempt without a result by then never gets one. */
const ATTEMPT_MS = 180_000;
/**
 * Time limit of an inspection by attempt, many times what it takes on an idle machine. The first limit is short, so that
 * a hundred files that reach it leave time for others within one run.
 */
const INSPECTION_LIMIT = { baseMs: 300, msPerMegabyte: 20, factors: [1, 8, 40], maxMs: 12_000 } as const;

/**
 * Processes uploads that are due: inspects files that leads reference, repeatedly checks that a lead still references
 * a file, and deletes unreferenced files after 7 days, the object before the record. Each step is a state that a later
 * run continues from; a concurrent submit takes precedence.
 *
 * @returns the number of uploads per outcome; it ends when nothing is due or its time is over
 */
export function sweepUploads(ports: UploadSweepPorts): Promise<Map<UploadSweepOutcome, number>> {
  const run: RunPorts = { ...ports, runExclusively: createQueue() };
  return sweep(
    {
      findDue: (nowMs, limit) => ports.uploads.findDue(nowMs, limit),
      processItem: (ids: UploadIds) => processUpload(run, ids),
      isProgress: (outcome: UploadSweepOutcome) => outcome !== 'conflict' && outcome !== 'error',
      timeLimitMs: RUN_MS_MAX,
    },
    ports,
  );
}

/** Runs one piece of work at a time, in order. */
type Queue = <T>(work: () => Promise<T>) => Promise<T>;

type RunPorts = UploadSweepPorts & { runExclusively: Queue };

function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

async function processUpload(ports: RunPorts, { orgId, uuid }: UploadIds): Promise<UploadSweepOutcome> {
  const upload = await ports.uploads.find(orgId, uuid);
  if (upload === undefined) return 'conflict';
  try {
    return await advance(ports, upload);
  } catch (cause) {
    ports.log.error('Sweeping an upload failed.', cause, { uuid, state: upload.state });
    await retryLater(ports, upload);
    return 'error';
  }
}

/** Due after the others, so that it delays none of them. It may have advanced before it failed: read it again. */
async function retryLater({ uploads, clock }: UploadSweepPorts, { orgId, uuid, attempts = 0 }: Upload): Promise<void> {
  const upload = await uploads.find(orgId, uuid);
  // An unavailable table or store is not a defect of the file: it doesn't count as an attempt.
  if (upload !== undefined) await uploads.update(upload, { dueAtMs: clock.now() + RECHECK_DELAY_MS, attempts });
}

async function advance(ports: RunPorts, upload: Upload): Promise<UploadSweepOutcome> {
  const nowMs = ports.clock.now();
  if (upload.dueAtMs > nowMs) return 'conflict';
  if (upload.state === 'deleting') return deleteUpload(ports, upload);
  if (upload.state === 'attached' && !upload.isInspected) return inspect(ports, upload);
  if (upload.state === 'pending' && upload.reservation) return endReservation(ports, upload);
  // A submit that was still in progress may have promoted it again.
  if (upload.state === 'rejected') await ports.files.delete(upload.storagePath);
  if (await isReferenced(ports, upload)) {
    return update(ports, upload, { dueAtMs: nowMs + REFERENCE_CHECK_INTERVAL_MS }, 'referenced');
  }
  const expiresAtMs = upload.deleteWhenUnreferenced ? 0 : upload.createdAtMs + UNREFERENCED_TTL_MS;
  if (expiresAtMs > nowMs && upload.state !== 'rejected') {
    const state = upload.isInspected ? 'stored' : 'pending';
    return update(ports, upload, { state, dueAtMs: expiresAtMs, remove: 'leads' }, 'detached');
  }
  // From here on no submit can attach it.
  if (!(await ports.uploads.update(upload, { state: 'deleting', dueAtMs: nowMs }))) return 'conflict';
  return deleteUpload(ports, upload);
}

/**
 * Ends the reservation of a direct upload after its presigned form has expired: a file that arrived stays counted. The
 * refund follows a conditional write that only one run succeeds with, so that no quota is refunded twice. A run that
 * dies between both leaves the bytes counted until the end of the day.
 */
async function endReservation(ports: UploadSweepPorts, upload: Upload): Promise<UploadSweepOutcome> {
  const { files, uploads, clock } = ports;
  if (await files.hasIncoming(upload.storagePath)) {
    const dueAtMs = upload.createdAtMs + UNREFERENCED_TTL_MS;
    return update(ports, upload, { dueAtMs, remove: 'reservation' }, 'arrived');
  }
  if (!(await uploads.update(upload, { state: 'deleting', dueAtMs: clock.now() }))) return 'conflict';
  await ports.releaseReservation(upload);
  await deleteUpload(ports, upload);
  return 'reservation_released';
}

async function deleteUpload({ uploads, files }: UploadSweepPorts, upload: Upload): Promise<UploadSweepOutcome> {
  await files.deleteIncoming(upload.storagePath);
  await files.delete(upload.storagePath);
  await uploads.delete(upload);
  return 'deleted';
}

/** Inspects the whole content of an attached file, once. */
async function inspect(ports: RunPorts, upload: Upload): Promise<UploadSweepOutcome> {
  const { attempts = 0, storagePath, size } = upload;
  if (attempts >= ATTEMPTS_MAX) return abandonInspection(ports, upload);
  const content = await ports.files.get(storagePath);
  // What a page sends there from now on is never promoted, and is deleted with the record.
  await ports.files.deleteIncoming(storagePath);
  if (content?.length !== size) return reject(ports, upload);
  // One at a time: when an inspection kills the process, only the record of that file has counted an attempt.
  return ports.runExclusively(() => attemptInspection(ports, upload, content));
}

/** Counts the attempt before it begins, so that an attempt that kills the process is counted too. */
async function attemptInspection(ports: UploadSweepPorts, read: Upload, content: Buffer): Promise<UploadSweepOutcome> {
  const { files, clock } = ports;
  const attempts = (read.attempts ?? 0) + 1;
  const upload = { ...read, attempts, dueAtMs: clock.now() + ATTEMPT_MS };
  if (!(await ports.uploads.update(read, { attempts, dueAtMs: upload.dueAtMs }))) return 'conflict';
  const result = inspectWithTimeLimit(ports, upload, content);
  if (result === undefined) {
    return attempts < ATTEMPTS_MAX ? 'inspection_postponed' : abandonInspection(ports, upload);
  }
  if (result === 'rejected') return reject(ports, upload);
  if (result === 'altered') await files.put(upload.storagePath, content);
  return update(ports, upload, { isInspected: true, dueAtMs: clock.now() + RECHECK_DELAY_MS }, 'inspected');
}

/** Undefined when the inspection threw or exceeded its time limit. */
function inspectWithTimeLimit(
  { inspect, log }: UploadSweepPorts,
  { attempts = 1, size, storagePath, uuid }: Upload,
  content: Buffer,
): StoredContentResult | undefined {
  const { baseMs, msPerMegabyte, factors, maxMs } = INSPECTION_LIMIT;
  const limitMs = Math.min(maxMs, (baseMs + (size / 1_000_000) * msPerMegabyte) * (factors[attempts - 1] ?? 1));
  try {
    return runWithTimeLimit(() => inspect(content, kindOfPath(storagePath)), Math.ceil(limitMs));
  } catch (cause) {
    log.error('Inspecting an uploaded file failed.', cause, { uuid, attempts });
    return undefined;
  }
}

/** A file that can't be inspected may be anything and could harm the person who opens it: it never becomes available. */
async function abandonInspection(ports: UploadSweepPorts, upload: Upload): Promise<UploadSweepOutcome> {
  ports.log.warn('An uploaded file could not be inspected in any attempt.', { uuid: upload.uuid });
  return (await reject(ports, upload, 'not_inspectable')) === 'rejected' ? 'inspection_abandoned' : 'conflict';
}

async function reject(ports: UploadSweepPorts, upload: Upload, reason?: Upload['reason']): Promise<UploadSweepOutcome> {
  const { files, clock, log } = ports;
  await files.deleteIncoming(upload.storagePath);
  await files.delete(upload.storagePath);
  log.warn('An uploaded file was rejected.', { uuid: upload.uuid });
  const rejected = { state: 'rejected', isInspected: true, dueAtMs: clock.now(), ...(reason && { reason }) } as const;
  return update(ports, upload, rejected, 'rejected');
}

async function update(
  { uploads }: UploadSweepPorts,
  upload: Upload,
  changes: UploadChanges,
  outcome: Exclude<UploadSweepOutcome, 'conflict'>,
): Promise<UploadSweepOutcome> {
  return (await uploads.update(upload, changes)) ? outcome : 'conflict';
}

async function isReferenced({ isReferencedByLead }: UploadSweepPorts, { leads, uuid }: Upload): Promise<boolean> {
  for (const lead of leads) if (await isReferencedByLead(lead, uuid)) return true;
  return false;
}
