/** The timeout of the dispatcher. */
export const DISPATCHER_TIMEOUT_MS = 75_000;
/**
 * In an execution of `repeatDispatch`, the minimum time from the start of a run of the dispatcher to the start of the
 * next run. The time from the due time of a change to the first attempt of its message can be longer (ADR 0028: within
 * 5 s at p95), because a run ends only after its last attempts, and because indexes and schedules have delays.
 */
export const DISPATCH_INTERVAL_MS = 3_000;
/**
 * Time for which `repeatDispatch` starts new runs of the dispatcher. A schedule starts `repeatDispatch` every minute,
 * the shortest interval that a schedule can have.
 */
export const REPEAT_MS = 60_000;
