const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A call without a webhook is looked up at the provider for the first time after this time. */
export const FIRST_CONVERSATION_POLL_MS = 30 * MINUTE_MS;

export const CONVERSATION_POLL_INTERVAL_MS = HOUR_MS;

/** A call whose conversation has not ended by then is abandoned. */
export const ABANDONED_AFTER_MS = 6 * HOUR_MS;

/** The same while the provider cannot be reached. A webhook that arrives later resumes an abandoned call. */
export const UNREACHABLE_ABANDONED_AFTER_MS = 24 * HOUR_MS;

/** An analysis that has not ended by then is restarted. It takes seconds, and its function has 5 minutes. */
export const ANALYSIS_TIMEOUT_MS = 15 * MINUTE_MS;

/** Restarts of an analysis before the call fails. */
export const ANALYSIS_RESTARTS_MAX = 3;

/** Delays between the attempts to fetch a recording. The first attempt is part of the analysis. */
export const RECORDING_RETRY_DELAYS_MS: readonly [number, ...number[]] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS,
];

/** Time for the last attempt to fetch a recording. */
export const LAST_RECORDING_ATTEMPT_MS = 15 * MINUTE_MS;

/** Delay for a call whose sweep failed, so that it is due after the others and delays none of them. */
export const SWEEP_RETRY_DELAY_MS = 5 * MINUTE_MS;
