import type { Clock } from '../platform/clock.ts';
import { type FileStore, type KeptFile, type KeptUploads, kindOfPath, UNREFERENCED_MS, type Upload } from './upload.ts';

export type KeepPorts = { uploads: KeptUploads; files: Pick<FileStore, 'head'>; clock: Clock };

const HEAD_BYTES = 4_096;

const MISSING = 'There is no such uploaded file that this field takes.';

/**
 * Files kept for leads, with one write each. Only a file that was announced and not yet looked at costs more: its size and
 * first bytes are compared with what was announced.
 */
export const keptFiles = (ports: KeepPorts) => ({ keep: (file: KeptFile) => keepFile(ports, file) });

async function keepFile(ports: KeepPorts, file: KeptFile): Promise<string | undefined> {
  const { uploads, clock } = ports;
  const nowMs = clock.now();
  if (await uploads.keep(file, 'stored', nowMs)) return undefined;
  const upload = await uploads.find(file.orgId, file.uuid);
  if (upload === undefined || !isTaken(upload, file, nowMs)) return MISSING;
  if (upload.state === 'refused') return 'The file was refused: its content is not what it was said to be.';
  if (upload.state === 'kept') return 'The file is in use by too many leads.';
  const fault = await faultOf(ports, upload);
  if (fault !== undefined) return fault;
  // Another submit may have been faster.
  const kept = (await uploads.keep(file, 'unverified', nowMs)) || (await uploads.keep(file, 'stored', nowMs));
  return kept ? undefined : MISSING;
}

function isTaken({ state, createdAtMs, blockId, funnelId }: Upload, file: KeptFile, nowMs: number): boolean {
  const isOfPlace = file.blockId === undefined ? funnelId === file.funnelId : blockId === file.blockId;
  const isAlive = state === 'kept' || state === 'refused' || createdAtMs > nowMs - UNREFERENCED_MS;
  return isOfPlace && isAlive && state !== 'removing';
}

async function faultOf({ files }: KeepPorts, { storagePath, size }: Upload): Promise<string | undefined> {
  const found = await files.head(storagePath, HEAD_BYTES);
  if (found === undefined) return 'The file was announced but never sent.';
  const { sniffHead } = await import('./content/sniff-head.ts');
  const asAnnounced = found.size === size && sniffHead(found.head).includes(kindOfPath(storagePath));
  return asAnnounced ? undefined : 'The file is not what was announced: its size or its content differ.';
}
