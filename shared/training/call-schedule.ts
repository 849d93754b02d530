const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An analysis that has not ended by then is started again; it takes seconds, and its function has 5 minutes. */
export const ANALYSIS_TIMEOUT_MS = 15 * MINUTE_MS;

/** How often it is started again before the call has failed. */
export const ANALYSIS_ATTEMPTS_MAX = 3;

/** How long the provider is left in peace about a conversation that nobody has told of. */
export const CONVERSATION_POLL_MS = HOUR_MS;

/** A conversation that is not over by then is none. */
export const ABANDONED_AFTER_MS = 6 * HOUR_MS;

/** A provider that could not be asked by then may still tell by itself: an abandoned call goes on when it does. */
export const UNREACHABLE_ABANDONED_AFTER_MS = 24 * HOUR_MS;

/** From one try to fetch a recording to the next; the first is made with the analysis. */
export const RECORDING_WAITS_MS: readonly [number, ...number[]] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS,
];

/** What the last try to fetch a recording is given before it is given up. */
export const LAST_RECORDING_WAIT_MS = 15 * MINUTE_MS;

/** For a call that could not be looked after: behind the others, so that it holds none of them up. */
export const SWEEP_RETRY_MS = 5 * MINUTE_MS;
