import { enforcePolicies } from '../../policies/enforcement/enforce-policies.ts';
import { createGrantUsageLog } from '../../policies/grant-usage.ts';
import { readPolicies } from '../../policies/policy-file.ts';
import type { ReportError } from '../common/output.ts';

/**
 * From now on the functions of this thread may do what their deployed roles may, and no more; whoever sits at the
 * terminal hears of what they were refused.
 */
export function enforceLocalPolicies(file: string, report: ReportError): void {
  const { used, refused } = createGrantUsageLog();
  enforcePolicies({
    policies: readPolicies(file),
    used,
    refused: (sentence) => {
      refused(sentence);
      report(sentence, new Error(sentence));
    },
  });
}
