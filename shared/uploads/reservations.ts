import type { Logger } from '../platform/logger.ts';
import type { RateLimitPolicy } from '../platform/rate-limiter.ts';
import type { UploadSweepPorts } from './sweep-uploads.ts';
import { uploadQuotas } from './upload-quota.ts';

/** Gives back units of a window that were taken at a time. Never throws. */
type ReleaseUnits = (window: RateLimitPolicy, taken: { atMs: number; units: number }, log: Logger) => Promise<void>;

/** Reservations of announced files, in the counters of the day that they were announced on. */
export const reservations = (
  releaseUnits: ReleaseUnits,
  log: Logger,
): Pick<UploadSweepPorts, 'releaseReservation'> => ({
  releaseReservation: async ({ orgId, reservation, createdAtMs: atMs, size: units }) => {
    if (reservation === undefined) return;
    const windows = uploadQuotas(orgId, reservation);
    await Promise.all(windows.map((window) => releaseUnits(window, { atMs, units }, log)));
  },
});
