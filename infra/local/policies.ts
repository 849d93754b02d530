import { guardFunctions } from '../policies/guard.ts';
import { readPolicies } from '../policies/policy-file.ts';
import { grantRecord } from '../policies/used-grants.ts';
import type { Report } from './report.ts';

/**
 * From now on the functions of this thread may do what their deployed roles may, and no more; whoever sits at the
 * terminal hears of what they were refused.
 */
export function guardLocally(file: string, report: Report): void {
  const { used, refused } = grantRecord();
  guardFunctions({
    policies: readPolicies(file),
    used,
    refused: (sentence) => {
      refused(sentence);
      report(sentence, new Error(sentence));
    },
  });
}
