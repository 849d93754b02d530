import { GRANTS_FOLDER } from '../../../infra/policies/grant-usage.ts';
import { ensurePolicyFile, POLICIES_FILE } from '../../../infra/policies/policy-file.ts';

/** Synthesizes the policies once per run. Workers and their child processes find the file through the environment. */
export default async function setup(): Promise<void> {
  const isWholeRun = process.env[GRANTS_FOLDER] !== undefined;
  // In a run of single test files, a failure is only a warning, because the stacks may be in the middle of a change.
  const warn = (message: string) => void process.stderr.write(`${message}\n`);
  process.env[POLICIES_FILE] = await ensurePolicyFile(isWholeRun ? undefined : warn);
}
