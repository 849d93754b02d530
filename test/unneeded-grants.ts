import { policyFile, readPolicies } from '../infra/policies/policy-file.ts';
import { UNUSED_BY_TESTS } from '../infra/policies/unused-by-tests.ts';
import { GRANTS_FOLDER, refusalsIn, unneededGrants } from '../infra/policies/used-grants.ts';

/** What the tests of a whole run gather there, they and all that they start. */
export const gatheringGrants = (folder: string): Record<string, string> => ({ [GRANTS_FOLDER]: folder });

/** What was wrong with the grants in a whole run of the tests, a sentence each. */
export async function grantFaults(folder: string): Promise<string[]> {
  const policies = readPolicies(await policyFile());
  const unneeded = unneededGrants(policies, folder, UNUSED_BY_TESTS).map(
    ({ id, action, resources }) => `${id} is granted ${action} on ${resources.join(', ')}, and no test has used it.`,
  );
  return [...refusalsIn(folder), ...unneeded];
}
