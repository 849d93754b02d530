import { findUnusedGrants, GRANTS_FOLDER, readDenials } from '../infra/policies/grant-usage.ts';
import { ensurePolicyFile, readPolicies } from '../infra/policies/policy-file.ts';
import { UNTESTED_GRANTS } from '../infra/policies/untested-grants.ts';

/** What the tests of a whole run gather there, they and all that they start. */
export const gatheringGrants = (folder: string): Record<string, string> => ({ [GRANTS_FOLDER]: folder });

/** What was wrong with the grants in a whole run of the tests, a sentence each. */
export async function grantFaults(folder: string): Promise<string[]> {
  const policies = readPolicies(await ensurePolicyFile());
  const unneeded = findUnusedGrants(policies, folder, UNTESTED_GRANTS).map(
    ({ id, action, resources }) => `${id} is granted ${action} on ${resources.join(', ')}, and no test has used it.`,
  );
  return [...readDenials(folder), ...unneeded];
}
