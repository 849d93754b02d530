/** When to send again. All tabs share it. */
export type Backoff = {
  failures: number;
  untilMs: number;
  /** Whether the service named the time with `Retry-After`. */
  isRequested: boolean;
};

const BASE_MS = 500;
const LONGEST_MS = 60_000;
const RETRY_AFTER_MAX_MS = 3_600_000;

/** The delay doubles with each failure, with jitter against simultaneous retries, and is at least `Retry-After`. */
export function backOff(previous: Backoff | undefined, retryAfterMs: number, nowMs: number): Backoff {
  const failures = (previous?.failures ?? 0) + 1;
  const delayMs = Math.min(LONGEST_MS, BASE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
  return {
    failures,
    untilMs: nowMs + Math.max(delayMs, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)),
    isRequested: retryAfterMs > 0,
  };
}

/** A wait above the maximum means that the clock was moved back. */
export function remainingMs(backoff: Backoff | undefined, nowMs: number): number {
  const waitMs = (backoff?.untilMs ?? 0) - nowMs;
  return waitMs > RETRY_AFTER_MAX_MS ? 0 : Math.max(0, waitMs);
}
