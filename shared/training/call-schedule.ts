const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** If no webhook arrives, the sweeper first reads a call's conversation from the provider at this age of the call. */
export const FIRST_CONVERSATION_POLL_MS = 30 * MINUTE_MS;

export const CONVERSATION_POLL_INTERVAL_MS = HOUR_MS;

/**
 * From this age on, the sweeper abandons a call whose conversation has not ended. A webhook that arrives later resumes
 * the call.
 */
export const ABANDONED_AFTER_MS = 6 * HOUR_MS;

/**
 * From this age on, the sweeper abandons a call if it cannot read the conversation from the provider. A webhook that
 * arrives later resumes the call.
 */
export const UNREACHABLE_ABANDONED_AFTER_MS = 24 * HOUR_MS;

/**
 * If an analysis has not ended after this time, the sweeper restarts it. The time is longer than the timeout of the
 * function, 5 minutes. A retry by Lambda can still be running, but concurrent analyses of a call are harmless.
 */
export const ANALYSIS_TIMEOUT_MS = 15 * MINUTE_MS;

/** Maximum number of restarts of an analysis. If the last restarted analysis does not end either, the call fails. */
export const ANALYSIS_RESTARTS_MAX = 3;

/**
 * Delay after each attempt to fetch a recording. The analysis makes the first attempt, and the sweeper makes the
 * others. A restarted analysis does not fetch the recording, but still counts as the first attempt.
 */
const RECORDING_RETRY_DELAYS_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** Maximum number of the sweeper's attempts to fetch a recording. */
export const RECORDING_SWEEPER_ATTEMPTS_MAX = RECORDING_RETRY_DELAYS_MS.length;

/** If the last attempt to fetch a recording also fails, the sweeper gives the recording up after this time. */
const RECORDING_GIVE_UP_DELAY_MS = 15 * MINUTE_MS;

/** @param attempt number of the attempt after which the delay follows. The attempt of the analysis is 1. */
export const recordingRetryDelayMs = (attempt: number): number =>
  RECORDING_RETRY_DELAYS_MS[attempt - 1] ?? RECORDING_GIVE_UP_DELAY_MS;

/** If the sweep of a call fails, the call is not due again before this delay. Other due calls are processed first. */
export const SWEEP_RETRY_DELAY_MS = 5 * MINUTE_MS;
