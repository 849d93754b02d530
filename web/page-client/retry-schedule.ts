/** When to send again. */
export type Backoff = {
  failures: number;
  sinceMs: number;
  untilMs: number;
  /** Whether the failed response had the header `Retry-After`. */
  isRequested: boolean;
};

const BASE_MS = 500;
const DELAY_MAX_MS = 60_000;
const RETRY_AFTER_MAX_MS = 3_600_000;

/**
 * The delay doubles with each failure, up to a minute, with jitter. If `Retry-After` is longer, the delay is
 * `Retry-After`, but at most an hour.
 */
export function backOff(previous: Backoff | undefined, retryAfterMs: number, nowMs: number): Backoff {
  const failures = (previous?.failures ?? 0) + 1;
  const delayMs = Math.min(DELAY_MAX_MS, BASE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
  return {
    failures,
    sinceMs: nowMs,
    untilMs: nowMs + Math.max(delayMs, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)),
    isRequested: retryAfterMs > 0,
  };
}

/** Returns the milliseconds until the backoff ends. If the clock was moved back meanwhile, the backoff ends at once. */
export const remainingMs = (backoff: Backoff | undefined, nowMs: number): number =>
  backoff && nowMs >= backoff.sinceMs ? Math.max(0, backoff.untilMs - nowMs) : 0;
