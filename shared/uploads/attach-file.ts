import type { Clock } from '../platform/clock.ts';
import type { FileReference, IncomingFileStore, KeptUploads } from './upload.ts';

export type AttachFilePorts = { uploads: KeptUploads; incoming: IncomingFileStore; clock: Clock };

/**
 * Files kept for leads, with one write each. Only what such a write refuses costs more: a file that was announced and
 * not yet looked at, or none that can be kept.
 *
 * @throws Problem 503 while the table or the store is not available, or too many submits want the file at once
 */
export const createFileAttacher = (ports: AttachFilePorts) => ({
  attach: async (file: FileReference): Promise<string | undefined> => {
    const nowMs = ports.clock.now();
    if (await ports.uploads.attach(file, 'stored', nowMs)) return undefined;
    const { attachPendingFile: keepAfterLook } = await import('./attach-pending-file.ts');
    return keepAfterLook(ports, file, nowMs);
  },
});
