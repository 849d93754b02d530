import { afterAll, afterEach } from 'vitest';
import { enforcePolicies } from '../../../infra/policies/enforcement/enforce-policies.ts';
import { createGrantUsageLog } from '../../../infra/policies/grant-usage.ts';
import { ensurePolicyFile, readPolicies } from '../../../infra/policies/policy-file.ts';

/** Key in `globalThis`. All test files of a process share the denials. */
const STATE_KEY = Symbol.for('tributary.denials-in-tests');

const holder: { [STATE_KEY]?: string[] } = globalThis as object;

/** The error messages of requests to AWS that were denied in the current test. */
export const denials: string[] = holder[STATE_KEY] ?? [];

if (holder[STATE_KEY] === undefined) {
  holder[STATE_KEY] = denials;
  enforcePolicies({
    policies: readPolicies(await ensurePolicyFile()),
    recordUse: createGrantUsageLog().recordUse,
    reportDenial: (message) => denials.push(message),
  });
}

/** Fails the test even if the function handled the error, because the request would also be denied in a deployment. */
function assertNoDenials(): void {
  const messages = denials.splice(0);
  if (messages.length > 0) throw new Error(messages.join('\n'));
}
afterEach(assertNoDenials);
// Hooks of setup files run last, so this check includes the clean-up hooks of the test file.
afterAll(assertNoDenials);
