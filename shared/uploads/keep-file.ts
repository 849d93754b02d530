import type { Clock } from '../platform/clock.ts';
import type { KeptFile, KeptUploads, SentFiles } from './upload.ts';

export type KeepPorts = { uploads: KeptUploads; sent: SentFiles; clock: Clock };

/**
 * Files kept for leads, with one write each. Only what such a write refuses costs more: a file that was announced and
 * not yet looked at, or none that can be kept.
 *
 * @throws Problem 503 while the table or the store is not available, or too many submits want the file at once
 */
export const keptFiles = (ports: KeepPorts) => ({
  attach: async (file: KeptFile): Promise<string | undefined> => {
    const nowMs = ports.clock.now();
    if (await ports.uploads.keep(file, 'stored', nowMs)) return undefined;
    const { keepAfterLook } = await import('./keep-after-look.ts');
    return keepAfterLook(ports, file, nowMs);
  },
});
