/** The timeout of the dispatcher. */
export const DISPATCHER_TIMEOUT_MS = 75_000;
/**
 * Interval of deployed runs of the dispatcher that find no work. The first attempt of a message can begin later (ADR 0028:
 * within 5 s at p95), because a run that ends waits for its attempts, and because indexes and schedules have delays.
 */
export const DISPATCH_INTERVAL_MS = 3_000;
/** How long `repeatDispatch` starts runs. Equal to the interval of its schedule: a minute, the shortest that is possible. */
export const REPEAT_MS = 60_000;
