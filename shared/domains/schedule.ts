const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * Time after which the sweeper repeats a step that has not ended. It can be short, because running a step twice is
 * harmless.
 */
export const STEP_HOLD_MS = MINUTE_MS;
/**
 * Maximum duration of the removal hold during provisioning. It is longer than the timeout of the functions that request
 * a tenant from the CDN.
 */
export const PROVISIONING_HOLD_MS = 3 * MINUTE_MS;
/** Maximum duration of the removal hold while a command binds a page. It is longer than binding a page takes. */
export const BINDING_HOLD_MS = 30 * SECOND_MS;
/** Delay until the next attempt if the reason of an error could not be stored in the domain. */
export const SWEEP_RETRY_MS = 5 * MINUTE_MS;

/** A hostname that is not verified within this time becomes available again. */
export const PENDING_TTL_MS = 14 * 24 * 60 * MINUTE_MS;
/**
 * Time after which another organization can take over a reservation that has no domain. By then, the command that
 * created the reservation has failed or crashed.
 */
export const ORPHANED_RESERVATION_MS = 15 * MINUTE_MS;

const clamped = (ms: number, least: number, most: number): number => Math.min(most, Math.max(least, ms));

/**
 * Delay until the state of work in progress is read again. It is a quarter of the time since the work began, but at
 * least 5 s and at most 15 min.
 */
export const pollDelayMs = (since: string, nowMs: number): number =>
  clamped((nowMs - Date.parse(since)) / 4, 5 * SECOND_MS, 15 * MINUTE_MS);

/** Delay until the next attempt after `attempts` consecutive failures: exponential backoff from 10 s to an hour. */
export const retryDelayMs = (attempts: number): number =>
  clamped(10 * SECOND_MS * 2 ** Math.min(attempts - 1, 20), 0, 60 * MINUTE_MS);

export const toIsoString = (ms: number): string => new Date(ms).toISOString();
