const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Whoever takes a step has so long before the sweeper does it too, which would be harmless. */
export const STEP_HOLD_MS = MINUTE_MS;
/** Longer than the function lives that asks the edge for a tenant. */
export const PROVISIONING_HOLD_MS = 3 * MINUTE_MS;
/** Longer than binding a page takes. */
export const BINDING_HOLD_MS = 30 * SECOND_MS;
/** What could not be looked after at all. */
export const SWEEP_RETRY_MS = 5 * MINUTE_MS;

/** A hostname that nobody has proven by then is free again. */
export const PENDING_TTL_MS = 14 * 24 * 60 * MINUTE_MS;
/** A reservation whose domain did not follow by then belongs to a claim that has ended. */
export const ORPHANED_RESERVATION_MS = 15 * MINUTE_MS;

const clamped = (ms: number, least: number, most: number): number => Math.min(most, Math.max(least, ms));

/** Until something is asked for again that takes its time: soon, and the longer it takes the more seldom. */
export const pollDelayMs = (since: string, nowMs: number): number =>
  clamped((nowMs - Date.parse(since)) / 4, 5 * SECOND_MS, 15 * MINUTE_MS);

/** Until something is tried again that has failed so often in a row. */
export const retryDelayMs = (attempts: number): number =>
  clamped(10 * SECOND_MS * 2 ** Math.min(attempts - 1, 20), 0, 60 * MINUTE_MS);

export const toIsoString = (ms: number): string => new Date(ms).toISOString();
