/** The timeout of the dispatcher. */
export const DISPATCHER_TIMEOUT_MS = 75_000;
/** Interval of deployed runs of the dispatcher that find no work. A change is dispatched at most this long after it is due. */
export const DISPATCH_INTERVAL_MS = 3_000;
/** For so long, `repeatDispatch` starts runs: until the schedule, whose shortest interval is a minute, starts it again. */
export const REPEAT_MS = 60_000;
