import { afterAll, afterEach } from 'vitest';
import { guardFunctions } from '../../infra/policies/guard.ts';
import { policyFile, readPolicies } from '../../infra/policies/policy-file.ts';
import { grantRecord } from '../../infra/policies/used-grants.ts';

/** Of the test that runs. */
export const refusals: string[] = [];

guardFunctions({
  policies: readPolicies(await policyFile()),
  used: grantRecord().used,
  refused: (sentence) => refusals.push(sentence),
});

/** Whatever a function made of the refusal: deployed, it would do without. */
function nothingWasRefused(): void {
  const sentences = refusals.splice(0);
  if (sentences.length > 0) throw new Error(sentences.join('\n'));
}
afterEach(nothingWasRefused);
// Also while the file's own hooks clean up: those of a setup come last.
afterAll(nothingWasRefused);
