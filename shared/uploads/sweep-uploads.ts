import { createHash } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { sweepDue } from '../platform/sweep-due.ts';
import { sniff } from './content/sniff.ts';
import { withoutPlace } from './privacy/without-place.ts';
import { kindOfPath, SOON_MS, UNREFERENCED_MS, type Upload, type UploadState } from './upload.ts';

type Ids = { orgId: string; uuid: string };
type Change = {
  state?: UploadState;
  inspected?: boolean;
  dueAtMs: number;
  forgets?: 'leads';
};

export type DueUploads = {
  /** At most so many that are due, the longest first. */
  due(nowMs: number, most: number): Promise<Ids[]>;
  /** False when the record has changed since it was read: then nothing is written. */
  change(upload: Upload, change: Change): Promise<boolean>;
  /** Removes the record of an upload in the state `removing`. */
  remove(upload: Upload): Promise<void>;
};

export type SweepPorts = {
  uploads: DueUploads & { find(orgId: string, uuid: string): Promise<Upload | undefined> };
  /** By storage path. Nothing that is to be removed need be there. */
  files: {
    get(path: string): Promise<Buffer | undefined>;
    put(path: string, content: Buffer): Promise<void>;
    remove(path: string): Promise<void>;
    /** What a page sent for it, before it was taken to its path or after. */
    removeSent(path: string): Promise<void>;
  };
  /** Whether a lead, `<funnel>/<lead>`, refers to a file. */
  refers(lead: string, uuid: string): Promise<boolean>;
  clock: Clock;
  log: Log;
};

/** What came of an upload that was due. */
export type Swept = 'removed' | 'kept' | 'unkept' | 'inspected' | 'refused' | 'overtaken' | 'failed';

const RECHECK_MS = 7 * 86_400_000;
const RUN_MS_MAX = 40_000;

/**
 * Does what is due for uploads: looks at what leads refer to and nobody has looked at in whole, checks again and again
 * that a lead still refers to a file, and removes the others after 7 days, first the object, then the record. Each step
 * is a state that a later run goes on from; a submit that comes between is never overruled.
 *
 * @returns how often each thing happened; it ends when nothing is due or its time is over
 */
export const sweepUploads = (ports: SweepPorts): Promise<Map<Swept, number>> =>
  sweepDue(
    {
      due: (nowMs, most) => ports.uploads.due(nowMs, most),
      one: (ids: Ids) => sweepOne(ports, ids),
      advances: (swept: Swept) => swept !== 'overtaken' && swept !== 'failed',
      runMsMax: RUN_MS_MAX,
    },
    ports,
  );

async function sweepOne(ports: SweepPorts, { orgId, uuid }: Ids): Promise<Swept> {
  const upload = await ports.uploads.find(orgId, uuid);
  if (upload === undefined) return 'overtaken';
  try {
    return await advance(ports, upload);
  } catch (cause) {
    ports.log.error('an upload could not be swept', cause, { uuid, state: upload.state });
    await putOff(ports, { orgId, uuid });
    return 'failed';
  }
}

/** Behind the others, so that it holds none of them up; it may have come a step further before it failed. */
async function putOff({ uploads, clock }: SweepPorts, { orgId, uuid }: Ids): Promise<void> {
  const upload = await uploads.find(orgId, uuid);
  if (upload !== undefined) await uploads.change(upload, { dueAtMs: clock.now() + SOON_MS });
}

async function advance(ports: SweepPorts, upload: Upload): Promise<Swept> {
  const nowMs = ports.clock.now();
  if (upload.dueAtMs > nowMs) return 'overtaken';
  if (upload.state === 'removing') return remove(ports, upload);
  if (upload.state === 'kept' && !upload.inspected) return inspect(ports, upload);
  // A submit that was still at it may have taken it to its path once more.
  if (upload.state === 'refused') await ports.files.remove(upload.storagePath);
  if (await isReferredTo(ports, upload)) return change(ports, upload, { dueAtMs: nowMs + RECHECK_MS }, 'kept');
  const expiresAtMs = upload.erased ? 0 : upload.createdAtMs + UNREFERENCED_MS;
  if (expiresAtMs > nowMs && upload.state !== 'refused') {
    const state = upload.inspected ? 'stored' : 'unverified';
    return change(ports, upload, { state, dueAtMs: expiresAtMs, forgets: 'leads' }, 'unkept');
  }
  // From here on no submit can keep it.
  if (!(await ports.uploads.change(upload, { state: 'removing', dueAtMs: nowMs }))) return 'overtaken';
  return remove(ports, upload);
}

async function remove({ uploads, files }: SweepPorts, upload: Upload): Promise<Swept> {
  await files.removeSent(upload.storagePath);
  await files.remove(upload.storagePath);
  await uploads.remove(upload);
  return 'removed';
}

/** The whole content, once: what it is, and for images that they say no place. */
async function inspect(ports: SweepPorts, upload: Upload): Promise<Swept> {
  const { files, clock, log } = ports;
  const { storagePath, size, uuid } = upload;
  const content = await files.get(storagePath);
  const kind = kindOfPath(storagePath);
  const dueAtMs = clock.now();
  // What can still be sent there reaches no reader, and goes with the record.
  await files.removeSent(storagePath);
  if (content?.length !== size || !sniff(content).includes(kind)) {
    await files.remove(storagePath);
    log.warn('an uploaded file was refused', { uuid });
    return change(ports, upload, { state: 'refused', inspected: true, dueAtMs }, 'refused');
  }
  const before = digest(content);
  withoutPlace(kind, content);
  if (digest(content) !== before) await files.put(storagePath, content);
  return change(ports, upload, { inspected: true, dueAtMs: dueAtMs + SOON_MS }, 'inspected');
}

const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

async function change(
  { uploads }: SweepPorts,
  upload: Upload,
  to: Change,
  swept: Exclude<Swept, 'overtaken'>,
): Promise<Swept> {
  return (await uploads.change(upload, to)) ? swept : 'overtaken';
}

async function isReferredTo({ refers }: SweepPorts, { leads, uuid }: Upload): Promise<boolean> {
  for (const lead of leads) if (await refers(lead, uuid)) return true;
  return false;
}
