import { afterAll, afterEach } from 'vitest';
import { enforcePolicies } from '../../../infra/policies/enforcement/enforce-policies.ts';
import { createGrantUsageLog } from '../../../infra/policies/grant-usage.ts';
import { ensurePolicyFile, readPolicies } from '../../../infra/policies/policy-file.ts';

/** Of the test that runs. */
export const denials: string[] = [];

enforcePolicies({
  policies: readPolicies(await ensurePolicyFile()),
  used: createGrantUsageLog().used,
  refused: (sentence) => denials.push(sentence),
});

/** Whatever a function made of the refusal: deployed, it would do without. */
function nothingWasRefused(): void {
  const sentences = denials.splice(0);
  if (sentences.length > 0) throw new Error(sentences.join('\n'));
}
afterEach(nothingWasRefused);
// Also while the file's own hooks clean up: those of a setup come last.
afterAll(nothingWasRefused);
