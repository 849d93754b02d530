import { CloudFormationServiceException } from '@aws-sdk/client-cloudformation';
import type { Problem } from './template-changes.ts';

const DENIED = new Set(['AccessDenied', 'AccessDeniedException']);
/** An action in the message "… is not authorized to perform: cloudformation:GetTemplate on resource: …". */
const ACTION = /not authorized to perform:? ([\w-]+:\w+)/;

/**
 * Runs a step that checks one stack. If a permission is missing or CloudFormation rejects a request as invalid, returns
 * a problem, so that the caller can continue with the other stacks.
 *
 * @param calls names of the CloudFormation actions that `run` uses
 * @throws any other error, for example for missing credentials
 */
export async function orProblem<T>(
  where: string,
  calls: readonly string[],
  run: () => Promise<T>,
): Promise<T | { problem: Problem }> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CloudFormationServiceException)) throw error;
    const says = `CloudFormation says: ${error.message}`;
    if (DENIED.has(error.name)) {
      const action = ACTION.exec(error.message)?.[1] ?? calls.map((call) => `cloudformation:${call}`).join(' or ');
      const advice = `Allow ${action}, or use other credentials.`;
      return { problem: { where, reason: `The permission ${action} is missing. ${says}`, advice } };
    }
    if (error.name === 'ValidationError') {
      return { problem: { where, reason: `The check is incomplete. ${says}`, advice: 'Run this check again.' } };
    }
    throw error;
  }
}
