/** The timeout of the dispatcher. */
export const DISPATCHER_TIMEOUT_MS = 75_000;
/**
 * How often the deployed dispatcher runs while there is no work. The time from a change to the first attempt of its
 * message can be longer (ADR 0028: within 5 s at p95), because a run that ends waits for its attempts, and because
 * indexes and schedules have delays.
 */
export const DISPATCH_INTERVAL_MS = 3_000;
/**
 * How long `repeatDispatch` starts runs. A schedule starts `repeatDispatch` every minute, the shortest interval that a
 * schedule can have.
 */
export const REPEAT_MS = 60_000;
