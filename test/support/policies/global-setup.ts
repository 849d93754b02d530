import { GRANTS_FOLDER } from '../../../infra/policies/grant-usage.ts';
import { ensurePolicyFile, POLICIES_FILE } from '../../../infra/policies/policy-file.ts';

/**
 * Sets the path of the policy file for all workers and their child processes. The policies are synthesized only if the
 * stacks have changed since the last synthesis.
 */
export default async function setup(): Promise<void> {
  const isWholeRun = process.env[GRANTS_FOLDER] !== undefined;
  // In a run of single test files, someone may be changing the stacks. If the synthesis fails, the run prints a warning
  // and uses the policies of the last successful synthesis, if there is one.
  const warn = (message: string) => void process.stderr.write(`${message}\n`);
  process.env[POLICIES_FILE] = await ensurePolicyFile(isWholeRun ? undefined : warn);
}
