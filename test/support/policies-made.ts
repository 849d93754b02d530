import { POLICIES_FILE, policyFile } from '../../infra/policies/policy-file.ts';

/** Once for the whole run: the workers, and what they start, find the policies by the environment. */
export default async function setup(): Promise<void> {
  process.env[POLICIES_FILE] = await policyFile();
}
