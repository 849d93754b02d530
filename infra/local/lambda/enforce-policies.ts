import { enforcePolicies } from '../../policies/enforcement/enforce-policies.ts';
import { createGrantUsageLog } from '../../policies/grant-usage.ts';
import { readPolicies } from '../../policies/policy-file.ts';
import type { ReportError } from '../common/output.ts';

/** Enforces the policies of the deployed roles on the functions of this thread. Reports denials at the terminal. */
export function enforceLocalPolicies(file: string, reportError: ReportError): void {
  const { recordUse, recordDenial } = createGrantUsageLog();
  enforcePolicies({
    policies: readPolicies(file),
    recordUse,
    reportDenial: (message) => {
      recordDenial(message);
      reportError(message, new Error(message));
    },
  });
}
