import { toUserMessage } from '../cli/program/user-message.ts';
import { withTimeout } from '../local/lambda/timeout.ts';

/** One thing that a deployment must do. */
export type Check = {
  /** What holds when it passes. */
  name: string;
  /** What to do when it fails. */
  advice: string;
  /** It removes what an earlier check created. */
  isCleanUp?: true;
  /** @throws Skipped when it can't run here; any other error is a failure */
  run(): Promise<void>;
};

/** A check that can't run here is neither passed nor failed; the message is one sentence that says what it needs. */
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
 * Runs checks one after another. None stops the others. A clean-up runs also when the time is over.
 *
 * @param endsAtMs when all of them must have ended, milliseconds since the epoch: what is left then fails
 */
export async function* resultsOf(checks: readonly Check[], endsAtMs: number): AsyncGenerator<Result> {
  for (const check of checks) {
    const leftSeconds = check.isCleanUp ? CHECK_SECONDS : (endsAtMs - Date.now()) / 1_000;
    yield await resultOf(check, Math.min(CHECK_SECONDS, leftSeconds));
  }
}

async function resultOf({ name, advice, run }: Check, seconds: number): Promise<Result> {
  try {
    if (seconds <= 0) throw new Error('The time was over before it began.');
    await withTimeout(run(), seconds);
    return { name, outcome: 'pass' };
  } catch (error) {
    if (error instanceof Skipped) return { name, outcome: 'skip', reason: error.message };
    return { name, outcome: 'fail', reason: toUserMessage(error), advice };
  }
}
