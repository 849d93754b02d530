import type { Clock } from '../platform/clock.ts';
import { type AttachPendingFilePorts, attachPendingFile } from './attach-pending-file.ts';
import type { FileReference } from './upload.ts';

export type AttachFilePorts = AttachPendingFilePorts & { clock: Clock };

/**
 * Attaches files to leads: one write for a file that was inspected. Only a file that this write does not match costs
 * more, because it is still pending or can't be attached.
 *
 * `attach` returns what is wrong with the file, as a sentence, or undefined when it is attached.
 *
 * @throws UnavailableError while the table or the store is unavailable, HttpError 503 when too many submits attach it
 */
export const createFileAttacher = (ports: AttachFilePorts) => ({
  attach: async (file: FileReference): Promise<string | undefined> => {
    const nowMs = ports.clock.now();
    if (await ports.uploads.attach(file, 'stored', nowMs)) return undefined;
    return attachPendingFile(ports, file, nowMs);
  },
});
