import { printableLine } from '../cli/terminal/printable.ts';
import { errorCode } from '../common/user-error.ts';
import { TimeoutError, withTimeout } from '../local/lambda/timeout.ts';
import { MissingPermissionError } from './aws.ts';

/** What the operator can do about a problem. */
export type Fix = {
  /** Instruction, such as a path in the AWS console or the purpose of the commands. */
  advice: string;
  /** Lines for a POSIX shell. */
  commands?: readonly string[];
};

export type Finding =
  | { status: 'ok'; detail: string }
  | { status: 'problem'; detail: string; blocks: boolean; fix: Fix }
  | { status: 'not checked'; detail: string };

/** One precondition of a deployment. */
export type Check = { name: string; run(): Promise<Finding> };

export type Result = { name: string } & Finding;

/** Time limit of one check, with all its calls and their retries. */
const CHECK_SECONDS = 8;

export const ok = (detail: string): Finding => ({ status: 'ok', detail });
export const notChecked = (detail: string): Finding => ({ status: 'not checked', detail });

/** A problem that makes the deployment fail. */
export const blocker = (detail: string, fix: Fix): Finding => ({ status: 'problem', detail, blocks: true, fix });

/** A problem that does not make the deployment fail, but prevents a feature from working. */
export const limitation = (detail: string, fix: Fix): Finding => ({ status: 'problem', detail, blocks: false, fix });

/** Runs one check. If the check throws or times out, returns the status `not checked` with the reason. */
export async function resultOf({ name, run }: Check): Promise<Result> {
  try {
    return { name, ...(await withTimeout(run(), CHECK_SECONDS)) };
  } catch (error) {
    return { name, ...notChecked(reasonOf(error)) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TimeoutError) return `AWS did not respond within ${CHECK_SECONDS} s.`;
  if (error instanceof MissingPermissionError) return error.message;
  // `fetch` reports the error of the connection as the cause of its own error.
  const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error;
  const text = printableLine(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
  if (errorCode(cause) === undefined) return `The check failed. ${text}`;
  return `AWS is not reachable. Check the network and the region. (${text})`;
}
