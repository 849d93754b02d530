import { createHash, randomUUID } from 'node:crypto';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { sanitizeStoredContent } from '../../../shared/uploads/content/sanitize-content.ts';
import type { FileKind } from '../../../shared/uploads/file-type.ts';
import type { IncomingFileStore } from '../../../shared/uploads/ports.ts';
import type { UploadSweepPorts } from '../../../shared/uploads/sweep-uploads.ts';
import { storagePathOf, UNREFERENCED_TTL_MS, type Upload } from '../../../shared/uploads/upload.ts';
import { aPng } from './sample-files.ts';
import { NOON } from './upload-api.ts';

export const DAY_MS = 86_400_000;

/** Returns the record of an upload. By default, it was created at noon, and its file is stored and inspected. */
export function anUpload({ kind = 'png', ...overrides }: Partial<Upload> & { kind?: FileKind } = {}): Upload {
  const uuid = overrides.uuid ?? randomUUID();
  const [orgId, blockId] = [overrides.orgId ?? randomUUID(), overrides.blockId ?? randomUUID()];
  const createdAtMs = overrides.createdAtMs ?? NOON;
  return {
    orgId,
    blockId,
    uuid,
    funnelId: randomUUID(),
    name: `a.${kind}`,
    size: aPng().length,
    mimeType: 'image/png',
    storagePath: storagePathOf(orgId, blockId, uuid, kind),
    state: 'stored',
    isInspected: true,
    createdAtMs,
    dueAtMs: createdAtMs + UNREFERENCED_TTL_MS,
    leads: [],
    ...overrides,
  };
}

/** Stores the record as the upload operation does. */
export async function storeUpload(upload: Upload): Promise<Upload> {
  await createDynamoUploadRepository().add(upload);
  return upload;
}

export const readUpload = ({ orgId, uuid }: Upload) => createDynamoUploadRepository().find(orgId, uuid);

const etagOf = (content: Buffer): string => createHash('md5').update(content).digest('hex');

/** An object store in memory, with the incoming and the final objects by storage path. */
export function memoryStore() {
  const incoming = new Map<string, Buffer>();
  const objects = new Map<string, Buffer>();
  const heads: string[] = [];
  const sent: IncomingFileStore = {
    head: async (path, bytes) => {
      heads.push(path);
      const found = incoming.get(path);
      return found && { size: found.length, head: found.subarray(0, bytes), etag: etagOf(found) };
    },
    promote: async (path, etag) => {
      const found = incoming.get(path);
      const isPromoted = found !== undefined && etagOf(found) === etag && !objects.has(path);
      if (isPromoted) objects.set(path, Buffer.from(found));
      return objects.has(path);
    },
  };
  return { incoming, objects, heads, sent };
}

/** Sets up the ports of the sweeper. Records are in DynamoDB. Objects and references of leads are in memory. */
export function setUpSweep(atMs: number = NOON) {
  const clock = { ms: atMs, now: () => clock.ms };
  const { incoming, objects, sent } = memoryStore();
  const references = new Set<string>();
  const logged: string[] = [];
  const released: string[] = [];
  const ports: UploadSweepPorts = {
    uploads: createDynamoUploadRepository(),
    files: {
      get: async (path) => {
        const found = objects.get(path);
        return found && Buffer.from(found);
      },
      put: async (path, content) => void objects.set(path, Buffer.from(content)),
      delete: async (path) => void objects.delete(path),
      hasIncoming: async (path) => incoming.has(path),
      deleteIncoming: async (path) => void incoming.delete(path),
    },
    releaseReservation: async (upload) => void released.push(upload.uuid),
    inspect: sanitizeStoredContent,
    isReferencedByLead: async (lead, uuid) => references.has(`${lead} ${uuid}`),
    clock,
    log: {
      info: () => undefined,
      warn: (message) => void logged.push(message),
      error: (message) => void logged.push(message),
      recordMetric: () => undefined,
    },
  };
  return { clock, incoming, objects, sent, references, logged, released, ports };
}

/**
 * Wraps the ports of a process that is killed at the call of `uploads` or `files` with the index `dieAt`. This call and
 * later calls fail.
 */
export function crashingPorts(ports: UploadSweepPorts, dieAt: number): UploadSweepPorts {
  let calls = 0;
  const crashing =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (calls++ >= dieAt) throw new Error('killed');
      return call(...given);
    };
  const { uploads, files } = ports;
  return {
    ...ports,
    uploads: {
      findDue: crashing(uploads.findDue),
      find: crashing(uploads.find),
      update: crashing(uploads.update),
      delete: crashing(uploads.delete),
    },
    files: {
      get: crashing(files.get),
      hasIncoming: crashing(files.hasIncoming),
      put: crashing(files.put),
      delete: crashing(files.delete),
      deleteIncoming: crashing(files.deleteIncoming),
    },
  };
}
