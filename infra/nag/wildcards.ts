import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { explain, patternIn } from './acknowledge-findings.ts';

type Reason = { service: string; pattern: RegExp; reason: string };

/**
 * Reasons for patterns where a policy cannot use exact names. A pattern without a reason is a finding of the review.
 */
const REASONS: readonly Reason[] = [
  {
    service: 'xray',
    pattern: /^\*$/,
    reason: 'X-Ray has no resource that its two write actions could name; they add traces and read nothing.',
  },
  {
    service: 'cloudwatch',
    pattern: /^\*$/,
    reason: 'DescribeAlarms cannot be restricted to alarms by name; CodeDeploy reads their state with it, and no data.',
  },
  {
    service: 's3',
    pattern: /^(?:\/[a-z-]+|\/[?-]+)*\/\*$/,
    reason:
      'Keys contain ids that are generated at run time, so IAM can name objects only by pattern. The statement is for one ' +
      'bucket, below one prefix if it has several, and lists each action.',
  },
  {
    service: 'cloudfront',
    pattern: /^:(?:distribution-tenant|connection-group)\/\*$/,
    reason:
      'CloudFront generates the ids of tenants, so policies cannot name them. Changing and deleting one requires the tag of ' +
      'our own distribution.',
  },
  {
    service: 'ses',
    pattern: /^:(?:identity|configuration-set)\/\*$/,
    reason:
      'The identities and the configuration set that SES checks depend on the account: a domain or an address, the recipient ' +
      'in the sandbox, the default of the identity. The condition allows only the one sender address.',
  },
  {
    service: 'acm',
    pattern: /^\*$/,
    reason:
      'A certificate has no ARN before it is requested; the condition allows only the HTTP validation that CloudFront uses ' +
      'for tenants.',
  },
  {
    service: 'acm',
    pattern: /^:certificate\/\*$/,
    reason:
      'CloudFront requests the certificates of tenants and gives them no tag for a condition; ACM deletes none that is in use.',
  },
];

/** Acknowledges the patterns in a role's statements that a service requires. */
export function explainWildcards(role: IConstruct, statements: readonly PolicyStatement[]): void {
  for (const { actions, resources } of statements) {
    const services = new Set(actions.map((action) => action.split(':')[0]));
    for (const pattern of resources.map(patternIn).filter((one) => one.includes('*'))) {
      const known = REASONS.find((one) => services.has(one.service) && one.pattern.test(pattern));
      if (known !== undefined) explain(role, { [`IAM5[Resource::${pattern}]`]: known.reason });
    }
  }
}
