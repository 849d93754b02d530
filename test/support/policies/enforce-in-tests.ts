import { afterAll, afterEach } from 'vitest';
import { enforcePolicies } from '../../../infra/policies/enforcement/enforce-policies.ts';
import { createGrantUsageLog } from '../../../infra/policies/grant-usage.ts';
import { ensurePolicyFile, readPolicies } from '../../../infra/policies/policy-file.ts';

/** Messages of calls that were denied in the current test. */
export const denials: string[] = [];

enforcePolicies({
  policies: readPolicies(await ensurePolicyFile()),
  recordUse: createGrantUsageLog().recordUse,
  reportDenial: (message) => denials.push(message),
});

/** Fails the test even if the function handled the error: deployed, the call would not work. */
function assertNoDenials(): void {
  const messages = denials.splice(0);
  if (messages.length > 0) throw new Error(messages.join('\n'));
}
afterEach(assertNoDenials);
// Hooks of setup files run last: this includes the clean-up hooks of the test file.
afterAll(assertNoDenials);
