import { UserError } from '../common/user-error.ts';

/** Names of AWS errors for a call that no policy allows. */
const REFUSALS = new Set(['AccessDenied', 'AccessDeniedException']);

/**
 * Waits for an AWS call.
 *
 * @param action the IAM actions that the call requires
 * @param target the stack or bucket that the call reads or changes
 * @throws UserError that names the IAM actions, if the credentials do not permit the call
 */
export async function permitted<T>(action: string, target: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && REFUSALS.has(error.name)) throw notPermitted(action, target, error.message);
    throw error;
  }
}

export const notPermitted = (action: string, target: string, reason: string): UserError =>
  new UserError(
    `These AWS credentials do not permit ${action} for ${target}. Grant the permission, and run the command again. ` +
      `AWS says: ${reason}`,
  );
