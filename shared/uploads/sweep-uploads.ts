import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { sweep } from '../platform/sweeper.ts';
import { runWithTimeLimit } from '../platform/time-limit.ts';
import type { InspectionResult } from './content/sanitize-stored-content.ts';
import type { FileKind } from './file-type.ts';
import { kindOfPath, RECHECK_DELAY_MS, UNREFERENCED_TTL_MS, type Upload, type UploadState } from './upload.ts';

type Ids = { orgId: string; uuid: string };
type Change = {
  state?: UploadState;
  inspected?: boolean;
  /** Of inspections without a result; 0 forgets them. */
  attempts?: number;
  reason?: Upload['reason'];
  dueAtMs: number;
  forgets?: 'leads' | 'reservation';
};

export type DueUploads = {
  /** At most so many that are due, the longest first; those with attempts only when no other is due. */
  findDue(nowMs: number, most: number): Promise<Ids[]>;
  /** False when the record has changed since it was read: then nothing is written. */
  update(upload: Upload, change: Change): Promise<boolean>;
  /** Removes the record of an upload in the state `removing`. */
  delete(upload: Upload): Promise<void>;
};

export type UploadSweepPorts = {
  uploads: DueUploads & { find(orgId: string, uuid: string): Promise<Upload | undefined> };
  /** By storage path. Nothing that is to be removed need be there. */
  files: {
    get(path: string): Promise<Buffer | undefined>;
    put(path: string, content: Buffer): Promise<void>;
    delete(path: string): Promise<void>;
    /** Whether a page sent something for it that was not taken yet. */
    hasIncoming(path: string): Promise<boolean>;
    /** What a page sent for it, before it was taken to its path or after. */
    deleteIncoming(path: string): Promise<void>;
  };
  /** Inspects a whole file, and cleans `content` in place. It may hang or throw: it is interrupted, and never trusted to end. */
  inspect(content: Buffer, kind: FileKind): InspectionResult;
  /** Gives the bytes back that are reserved for a file that was never sent. Never throws. */
  releaseReservation(upload: Upload): Promise<void>;
  /** Whether a lead, `<funnel>/<lead>`, refers to a file. */
  isReferencedByLead(lead: string, uuid: string): Promise<boolean>;
  clock: Clock;
  log: Logger;
};

/** What came of an upload that was due. */
export type UploadSweepOutcome =
  | ('removed' | 'kept' | 'unkept' | 'inspected' | 'refused' | 'overtaken' | 'failed')
  /** Its inspection came to no result: it is tried again behind all others, then refused for good. */
  | ('postponed' | 'given_up')
  /** Announced, and sent in time; or not, so that its bytes are no longer reserved. */
  | ('arrived' | 'released');

const RECHECK_MS = 7 * 86_400_000;
const RUN_MS_MAX = 55_000;

/** Inspections of one file; then it is refused. */
const ATTEMPTS_MAX = 3;
/** Longer than a run can take: an attempt that has no result by then never gets one. */
const ATTEMPT_MS = 180_000;
/**
 * What an inspection may take at each attempt: many times what it takes on a quiet machine. The first limit is short, so
 * that a hundred files that reach it leave time for others within one run.
 */
const INSPECTION = { baseMs: 300, msPerMegabyte: 20, factors: [1, 8, 40], mostMs: 12_000 } as const;

/**
 * Does what is due for uploads: looks at what leads refer to and nobody has looked at in whole, checks again and again
 * that a lead still refers to a file, and removes the others after 7 days, first the object, then the record. Each step
 * is a state that a later run goes on from; a submit that comes between is never overruled.
 *
 * @returns how often each thing happened; it ends when nothing is due or its time is over
 */
export function sweepUploads(ports: UploadSweepPorts): Promise<Map<UploadSweepOutcome, number>> {
  const run: RunPorts = { ...ports, alone: oneAtATime() };
  return sweep(
    {
      findDue: (nowMs, most) => ports.uploads.findDue(nowMs, most),
      processItem: (ids: Ids) => sweepOne(run, ids),
      isProgress: (swept: UploadSweepOutcome) => swept !== 'overtaken' && swept !== 'failed',
      timeLimitMs: RUN_MS_MAX,
    },
    ports,
  );
}

type RunPorts = UploadSweepPorts & { /** Runs work when none that was given before runs any more. */ alone: Alone };
type Alone = <T>(work: () => Promise<T>) => Promise<T>;

function oneAtATime(): Alone {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

async function sweepOne(ports: RunPorts, { orgId, uuid }: Ids): Promise<UploadSweepOutcome> {
  const upload = await ports.uploads.find(orgId, uuid);
  if (upload === undefined) return 'overtaken';
  try {
    return await advance(ports, upload);
  } catch (cause) {
    ports.log.error('an upload could not be swept', cause, { uuid, state: upload.state });
    await putOff(ports, upload);
    return 'failed';
  }
}

/** Behind the others, so that it holds none of them up; it may have come a step further before it failed. */
async function putOff({ uploads, clock }: UploadSweepPorts, { orgId, uuid, attempts = 0 }: Upload): Promise<void> {
  const upload = await uploads.find(orgId, uuid);
  // A table or a store that failed says nothing about the file: that was no attempt.
  if (upload !== undefined) await uploads.update(upload, { dueAtMs: clock.now() + RECHECK_DELAY_MS, attempts });
}

async function advance(ports: RunPorts, upload: Upload): Promise<UploadSweepOutcome> {
  const nowMs = ports.clock.now();
  if (upload.dueAtMs > nowMs) return 'overtaken';
  if (upload.state === 'removing') return remove(ports, upload);
  if (upload.state === 'kept' && !upload.inspected) return inspect(ports, upload);
  if (upload.state === 'unverified' && upload.reservation) return settle(ports, upload);
  // A submit that was still at it may have taken it to its path once more.
  if (upload.state === 'refused') await ports.files.delete(upload.storagePath);
  if (await isReferredTo(ports, upload)) return change(ports, upload, { dueAtMs: nowMs + RECHECK_MS }, 'kept');
  const expiresAtMs = upload.erased ? 0 : upload.createdAtMs + UNREFERENCED_TTL_MS;
  if (expiresAtMs > nowMs && upload.state !== 'refused') {
    const state = upload.inspected ? 'stored' : 'unverified';
    return change(ports, upload, { state, dueAtMs: expiresAtMs, forgets: 'leads' }, 'unkept');
  }
  // From here on no submit can keep it.
  if (!(await ports.uploads.update(upload, { state: 'removing', dueAtMs: nowMs }))) return 'overtaken';
  return remove(ports, upload);
}

/**
 * Ends the reservation of an announced file, after its form has expired: what was sent stays counted, and what was not
 * can not be sent any more. The bytes are given back after the write that only one run can do: never twice, so that no
 * day counts less than arrived. A run that dies between leaves them counted until the day ends.
 */
async function settle(ports: UploadSweepPorts, upload: Upload): Promise<UploadSweepOutcome> {
  const { files, uploads, clock } = ports;
  if (await files.hasIncoming(upload.storagePath)) {
    const dueAtMs = upload.createdAtMs + UNREFERENCED_TTL_MS;
    return change(ports, upload, { dueAtMs, forgets: 'reservation' }, 'arrived');
  }
  if (!(await uploads.update(upload, { state: 'removing', dueAtMs: clock.now() }))) return 'overtaken';
  await ports.releaseReservation(upload);
  await remove(ports, upload);
  return 'released';
}

async function remove({ uploads, files }: UploadSweepPorts, upload: Upload): Promise<UploadSweepOutcome> {
  await files.deleteIncoming(upload.storagePath);
  await files.delete(upload.storagePath);
  await uploads.delete(upload);
  return 'removed';
}

/** Inspects the whole content, once: what it is, and for images that they say no place. */
async function inspect(ports: RunPorts, upload: Upload): Promise<UploadSweepOutcome> {
  const { attempts = 0, storagePath, size } = upload;
  if (attempts >= ATTEMPTS_MAX) return giveUp(ports, upload);
  const content = await ports.files.get(storagePath);
  // What can still be sent there reaches no reader, and goes with the record.
  await ports.files.deleteIncoming(storagePath);
  if (content?.length !== size) return refuse(ports, upload);
  // One at a time: when the process dies, the record of the file that killed it is the only one with a new attempt.
  return ports.alone(() => attempt(ports, upload, content));
}

/** Counts the attempt before it begins: a process that dies in it has counted it. */
async function attempt(ports: UploadSweepPorts, seen: Upload, content: Buffer): Promise<UploadSweepOutcome> {
  const { files, clock } = ports;
  const attempts = (seen.attempts ?? 0) + 1;
  const upload = { ...seen, attempts, dueAtMs: clock.now() + ATTEMPT_MS };
  if (!(await ports.uploads.update(seen, { attempts, dueAtMs: upload.dueAtMs }))) return 'overtaken';
  const result = inspectInTime(ports, upload, content);
  if (result === 'none') return attempts < ATTEMPTS_MAX ? 'postponed' : giveUp(ports, upload);
  if (result === 'refused') return refuse(ports, upload);
  if (result === 'cleaned') await files.put(upload.storagePath, content);
  return change(ports, upload, { inspected: true, dueAtMs: clock.now() + RECHECK_DELAY_MS }, 'inspected');
}

function inspectInTime(
  { inspect, log }: UploadSweepPorts,
  { attempts = 1, size, storagePath, uuid }: Upload,
  content: Buffer,
): InspectionResult | 'none' {
  const { baseMs, msPerMegabyte, factors, mostMs } = INSPECTION;
  const limitMs = Math.min(mostMs, (baseMs + (size / 1_000_000) * msPerMegabyte) * (factors[attempts - 1] ?? 1));
  try {
    return runWithTimeLimit(() => inspect(content, kindOfPath(storagePath)), Math.ceil(limitMs));
  } catch (cause) {
    log.error('an uploaded file could not be inspected', cause, { uuid, attempts });
    return 'none';
  }
}

/** The file never becomes available: what can not be inspected may be anything, and could harm the person who opens it. */
async function giveUp(ports: UploadSweepPorts, upload: Upload): Promise<UploadSweepOutcome> {
  ports.log.warn('an uploaded file was given up', { uuid: upload.uuid });
  return (await refuse(ports, upload, 'not_inspectable')) === 'refused' ? 'given_up' : 'overtaken';
}

async function refuse(ports: UploadSweepPorts, upload: Upload, reason?: Upload['reason']): Promise<UploadSweepOutcome> {
  const { files, clock, log } = ports;
  await files.deleteIncoming(upload.storagePath);
  await files.delete(upload.storagePath);
  log.warn('an uploaded file was refused', { uuid: upload.uuid });
  const refused = { state: 'refused', inspected: true, dueAtMs: clock.now(), ...(reason && { reason }) } as const;
  return change(ports, upload, refused, 'refused');
}

async function change(
  { uploads }: UploadSweepPorts,
  upload: Upload,
  to: Change,
  swept: Exclude<UploadSweepOutcome, 'overtaken'>,
): Promise<UploadSweepOutcome> {
  return (await uploads.update(upload, to)) ? swept : 'overtaken';
}

async function isReferredTo(
  { isReferencedByLead: refers }: UploadSweepPorts,
  { leads, uuid }: Upload,
): Promise<boolean> {
  for (const lead of leads) if (await refers(lead, uuid)) return true;
  return false;
}
