import { toUserMessage } from '../cli/program/user-message.ts';
import { TimeoutError, withTimeout } from '../local/lambda/timeout.ts';

/** One behaviour that a deployment must have. */
export type Check = {
  name: string;
  /** What the operator can do if the check fails. */
  advice: string;
  /** Set if the check removes data of an earlier check. */
  isCleanUp?: true;
  /** @throws Skipped if the check cannot run here; any other error if the check failed */
  run(): Promise<void>;
};

/**
 * Thrown by a check that cannot run here. Such a check neither passes nor fails. The message says what the check needs.
 */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

export type Result = { name: string } & (
  | { outcome: 'pass' }
  | { outcome: 'skip'; reason: string }
  | { outcome: 'fail'; reason: string; advice: string }
);

const CHECK_SECONDS = 20;

/**
 * Runs checks one after another. A failed check does not prevent the later checks.
 *
 * @param endsAtMs deadline of all checks except clean-ups, in milliseconds since the epoch. A check fails if it is not
 *   finished by then, or takes longer than `CHECK_SECONDS`.
 */
export async function* resultsOf(checks: readonly Check[], endsAtMs: number): AsyncGenerator<Result> {
  for (const check of checks) {
    const leftSeconds = check.isCleanUp ? CHECK_SECONDS : (endsAtMs - Date.now()) / 1_000;
    yield await resultOf(check, Math.min(CHECK_SECONDS, leftSeconds));
  }
}

async function resultOf({ name, advice, run }: Check, seconds: number): Promise<Result> {
  try {
    if (seconds <= 0) throw new Error('The time limit for all checks was over before this check began.');
    await withTimeout(run(), seconds);
    return { name, outcome: 'pass' };
  } catch (error) {
    if (error instanceof Skipped) return { name, outcome: 'skip', reason: error.message };
    const reason =
      error instanceof TimeoutError ? `The check did not finish within ${Math.ceil(seconds)} s.` : toUserMessage(error);
    return { name, outcome: 'fail', reason, advice };
  }
}
