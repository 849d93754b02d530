const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Time for a step before the sweeper runs it, too. Running a step twice is harmless. */
export const STEP_HOLD_MS = MINUTE_MS;
/** Longer than the timeout of the function that requests a tenant from the CDN. */
export const PROVISIONING_HOLD_MS = 3 * MINUTE_MS;
/** Longer than binding a page takes. */
export const BINDING_HOLD_MS = 30 * SECOND_MS;
/** Delay after a domain could not be processed at all. */
export const SWEEP_RETRY_MS = 5 * MINUTE_MS;

/** A hostname that is not verified within this time becomes available again. */
export const PENDING_TTL_MS = 14 * 24 * 60 * MINUTE_MS;
/** A reservation without a domain after this time belongs to an attempt to add a domain that has ended. */
export const ORPHANED_RESERVATION_MS = 15 * MINUTE_MS;

const clamped = (ms: number, least: number, most: number): number => Math.min(most, Math.max(least, ms));

/** Delay until the state of slow work is read again: grows with the time that has passed. */
export const pollDelayMs = (since: string, nowMs: number): number =>
  clamped((nowMs - Date.parse(since)) / 4, 5 * SECOND_MS, 15 * MINUTE_MS);

/** Delay until the next attempt after `attempts` consecutive failures: exponential backoff, at most an hour. */
export const retryDelayMs = (attempts: number): number =>
  clamped(10 * SECOND_MS * 2 ** Math.min(attempts - 1, 20), 0, 60 * MINUTE_MS);

export const toIsoString = (ms: number): string => new Date(ms).toISOString();
