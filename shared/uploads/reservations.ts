import type { Window } from '../limits/limiter.ts';
import type { Log } from '../platform/log.ts';
import type { UploadSweepPorts } from './sweep-uploads.ts';
import { uploadQuotas } from './upload-quota.ts';

/** Gives back units of a window that were taken at a time. Never throws. */
type ReleaseUnits = (window: Window, taken: { atMs: number; units: number }, log: Log) => Promise<void>;

/** Reservations of announced files, in the counters of the day that they were announced on. */
export const reservations = (releaseUnits: ReleaseUnits, log: Log): Pick<UploadSweepPorts, 'releaseReservation'> => ({
  releaseReservation: async ({ orgId, reservation, createdAtMs: atMs, size: units }) => {
    if (reservation === undefined) return;
    const windows = uploadQuotas(orgId, reservation);
    await Promise.all(windows.map((window) => releaseUnits(window, { atMs, units }, log)));
  },
});
