import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { createSerialRunner, type SerialRunner } from '../platform/serial-runner.ts';
import { sweep } from '../platform/sweeper.ts';
import { runWithTimeLimit } from '../platform/time-limit.ts';
import type { StoredContentResult } from './content/sanitize-content.ts';
import type { FileKind } from './file-type.ts';
import type { FileStore, UploadChanges, UploadRepository } from './ports.ts';
import { kindOfPath, RECHECK_DELAY_MS, UNREFERENCED_TTL_MS, type Upload, type UploadIds } from './upload.ts';

export type UploadSweepPorts = {
  uploads: Pick<UploadRepository, 'find' | 'findDue' | 'update' | 'delete'>;
  files: FileStore;
  /**
   * Inspects the content of a whole file and may change `content` in place. It may throw. It runs with a time limit,
   * because it may hang.
   */
  inspect(content: Buffer, kind: FileKind): StoredContentResult;
  /** Refunds the bytes that are reserved for a file that was never sent. Never throws. */
  releaseReservation(upload: Upload): Promise<void>;
  /** Whether the lead's data contains the file's uuid. @param lead a lead reference */
  isReferencedByLead(lead: string, uuid: string): Promise<boolean>;
  clock: Clock;
  log: Logger;
};

export type UploadSweepOutcome =
  /** A lead still references the file. */
  | 'referenced'
  /** No lead references the file any more. The file can be attached to another lead until it expires. */
  | 'detached'
  | 'deleted'
  /** The whole content was inspected and matches the type of the file. */
  | 'inspected'
  /** The content is missing, has another size or does not match the type. The file is deleted. */
  | 'rejected'
  /** The inspection did not complete. The next attempt begins after `ATTEMPT_MS` at the earliest. */
  | 'inspection_postponed'
  /** The inspection did not complete in any attempt. The file is deleted. */
  | 'inspection_abandoned'
  /** The direct upload arrived in time. */
  | 'arrived'
  /** The direct upload did not arrive in time. Its bytes are refunded. */
  | 'reservation_released'
  /** Another process has changed or deleted the record. */
  | 'conflict'
  /** An unexpected error. The upload is retried later. */
  | 'error';

const REFERENCE_CHECK_INTERVAL_MS = 7 * 86_400_000;
const RUN_MS_MAX = 55_000;

/** Number of inspections without a result after which a file is rejected. */
const ATTEMPTS_MAX = 3;
/**
 * Time from the start of an attempt to the next attempt. It is longer than the timeout of the function, so that the
 * earlier attempt has ended.
 */
const ATTEMPT_MS = 180_000;
/**
 * Time limit of an inspection. Each attempt has a larger limit, by these factors. The first limit is many times the
 * usual duration, but short enough that a slow inspection leaves time for other files.
 */
const INSPECTION_LIMIT = { baseMs: 300, msPerMegabyte: 20, factors: [1, 8, 40], maxMs: 12_000 } as const;

/**
 * Processes due uploads. Ends the reservations of direct uploads, inspects attached files, and checks every 7 days
 * whether a lead still references a file. Deletes unreferenced files 7 days after their upload, but at once if they
 * were rejected or one of their leads was erased. Each step stores a state from which a later run continues.
 *
 * @returns the number of uploads by outcome
 */
export function sweepUploads(ports: UploadSweepPorts): Promise<Map<UploadSweepOutcome, number>> {
  const run: RunPorts = { ...ports, runExclusively: createSerialRunner() };
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

type RunPorts = UploadSweepPorts & { runExclusively: SerialRunner };

async function processUpload(ports: RunPorts, { orgId, uuid }: UploadIds): Promise<UploadSweepOutcome> {
  let upload: Upload | undefined;
  try {
    upload = await ports.uploads.find(orgId, uuid);
    return upload === undefined ? 'conflict' : await advance(ports, upload);
  } catch (cause) {
    ports.log.error('An upload could not be processed. A later run retries it.', cause, {
      orgId,
      uuid,
      state: upload?.state,
    });
  }
  if (upload === undefined) return 'error';
  await retryLater(ports, upload).catch((cause: unknown) =>
    ports.log.error(
      'The next attempt for an upload could not be postponed. The next run processes the upload again.',
      cause,
      { orgId, uuid },
    ),
  );
  return 'error';
}

/**
 * Makes the upload due later, so that it does not delay other uploads. Reads the record again, because the record may
 * have changed before the error.
 */
async function retryLater({ uploads, clock }: UploadSweepPorts, { orgId, uuid, attempts = 0 }: Upload): Promise<void> {
  const upload = await uploads.find(orgId, uuid);
  // Restores the number of attempts, because an unavailable table or store is not a defect of the file.
  if (upload !== undefined) await uploads.update(upload, { dueAtMs: clock.now() + RECHECK_DELAY_MS, attempts });
}

async function advance(ports: RunPorts, upload: Upload): Promise<UploadSweepOutcome> {
  const nowMs = ports.clock.now();
  if (upload.dueAtMs > nowMs) return 'conflict';
  if (upload.state === 'deleting') return deleteUpload(ports, upload);
  if (upload.state === 'attached' && !upload.isInspected) return inspect(ports, upload);
  if (upload.state === 'pending' && upload.reservation) return endReservation(ports, upload);
  // The rejection deleted the file. A submit that was in progress at that time may have promoted the file again.
  if (upload.state === 'rejected') await ports.files.delete(upload.storagePath);
  if (await isReferenced(ports, upload)) {
    return update(ports, upload, { dueAtMs: nowMs + REFERENCE_CHECK_INTERVAL_MS }, 'referenced');
  }
  const expiresAtMs = upload.deleteWhenUnreferenced ? 0 : upload.createdAtMs + UNREFERENCED_TTL_MS;
  if (expiresAtMs > nowMs && upload.state !== 'rejected') {
    const state = upload.isInspected ? 'stored' : 'pending';
    return update(ports, upload, { state, dueAtMs: expiresAtMs, remove: 'leads' }, 'detached');
  }
  // After this write, no submit can attach the file, so that it is safe to delete the file.
  if (!(await ports.uploads.update(upload, { state: 'deleting', dueAtMs: nowMs }))) return 'conflict';
  return deleteUpload(ports, upload);
}

/**
 * Ends the reservation of a direct upload after its presigned form has expired. If the file has arrived, its bytes stay
 * counted in the quotas. Otherwise refunds the bytes, after a conditional write so that only one run does it. If the
 * run crashes between the two, the bytes stay counted until the end of the UTC day.
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

/**
 * Makes the next attempt to inspect the whole content of an attached file. Rejects the file if no attempt is left, or
 * if the content is missing or has another size.
 */
async function inspect(ports: RunPorts, upload: Upload): Promise<UploadSweepOutcome> {
  const { attempts = 0, storagePath, size } = upload;
  if (attempts >= ATTEMPTS_MAX) return abandonInspection(ports, upload);
  const content = await ports.files.get(storagePath);
  // The direct upload is not needed any more, because the storage path has a copy. If the page sends the file again,
  // the copy does not change, and the new object is deleted with the record.
  await ports.files.deleteIncoming(storagePath);
  if (content?.length !== size) return reject(ports, upload);
  // Inspections run one at a time. If one kills the process, only its own file loses an attempt.
  return ports.runExclusively(() => attemptInspection(ports, upload, content));
}

/** Counts the attempt before it begins, because the attempt may kill the process. */
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

/** Returns undefined if the inspection threw or exceeded its time limit. */
function inspectWithTimeLimit(
  { inspect, log }: UploadSweepPorts,
  { attempts = 1, size, storagePath, orgId, uuid }: Upload,
  content: Buffer,
): StoredContentResult | undefined {
  const { baseMs, msPerMegabyte, factors, maxMs } = INSPECTION_LIMIT;
  const limitMs = Math.min(maxMs, (baseMs + (size / 1_000_000) * msPerMegabyte) * (factors[attempts - 1] ?? 1));
  try {
    return runWithTimeLimit(() => inspect(content, kindOfPath(storagePath)), Math.ceil(limitMs));
  } catch (cause) {
    log.error('The inspection of an uploaded file failed or exceeded its time limit.', cause, {
      orgId,
      uuid,
      attempts,
    });
    return undefined;
  }
}

/** Rejects a file that can't be inspected, because the file could harm the person who opens it. */
async function abandonInspection(ports: UploadSweepPorts, upload: Upload): Promise<UploadSweepOutcome> {
  const { orgId, uuid } = upload;
  ports.log.warn('An uploaded file could not be inspected in any attempt.', { orgId, uuid });
  return (await reject(ports, upload, 'not_inspectable')) === 'rejected' ? 'inspection_abandoned' : 'conflict';
}

async function reject(ports: UploadSweepPorts, upload: Upload, reason?: Upload['reason']): Promise<UploadSweepOutcome> {
  const { files, clock, log } = ports;
  await files.deleteIncoming(upload.storagePath);
  await files.delete(upload.storagePath);
  log.warn('An uploaded file was rejected.', { orgId: upload.orgId, uuid: upload.uuid });
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
