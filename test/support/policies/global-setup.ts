import { GRANTS_FOLDER } from '../../../infra/policies/grant-usage.ts';
import { ensurePolicyFile, POLICIES_FILE } from '../../../infra/policies/policy-file.ts';

/** Once for the whole run: the workers, and what they start, find the policies by the environment. */
export default async function setup(): Promise<void> {
  const isWhole = process.env[GRANTS_FOLDER] !== undefined;
  // A part of the tests may also run while the stacks are being worked on.
  const warn = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  process.env[POLICIES_FILE] = await ensurePolicyFile(isWhole ? undefined : warn);
}
