import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { explain, patternIn } from './acknowledge-findings.ts';

type Reason = { service: string; pattern: RegExp; reason: string };

/** Reasons why policies use patterns instead of exact names. cdk-nag reports each pattern that has no reason here. */
const REASONS: readonly Reason[] = [
  {
    service: 'xray',
    pattern: /^\*$/,
    reason: 'X-Ray has no resources that a policy could name. Its two write actions add traces and read nothing.',
  },
  {
    service: 'cloudwatch',
    pattern: /^\*$/,
    reason: 'DescribeAlarms cannot be restricted to named alarms. CodeDeploy uses it to read the state of alarms.',
  },
  {
    service: 's3',
    pattern: /^(?:\/[a-z-]+|\/[?-]+)*\/\*$/,
    reason:
      'Keys contain ids that are generated at run time, so IAM can name objects only by pattern. The statement names one ' +
      'bucket and each action, and, if the bucket has several prefixes, the prefix of the keys.',
  },
  {
    service: 'cloudfront',
    pattern: /^:(?:distribution-tenant|connection-group)\/\*$/,
    reason:
      'CloudFront generates the ids of tenants, so policies cannot name them. The condition allows changing and deleting ' +
      'only tenants with the tag of our own distribution.',
  },
  {
    service: 'ses',
    pattern: /^:(?:identity|configuration-set)\/\*$/,
    reason:
      'SES checks identities and a configuration set that depend on the account: the sender domain or address, in the ' +
      'sandbox also the recipient, and the default set of the identity. The condition allows only one sender address.',
  },
  {
    service: 'acm',
    pattern: /^\*$/,
    reason:
      'A certificate has no ARN before it is requested. The condition allows only the HTTP validation that CloudFront uses ' +
      'for tenants.',
  },
  {
    service: 'acm',
    pattern: /^:certificate\/\*$/,
    reason:
      'CloudFront requests the certificates of tenants without a tag that a condition could require. ACM does not delete a ' +
      'certificate that is in use.',
  },
];

/** Acknowledges a pattern in a role's statements if `REASONS` has a reason for it. */
export function explainWildcards(role: IConstruct, statements: readonly PolicyStatement[]): void {
  for (const { actions, resources } of statements) {
    const services = new Set(actions.map((action) => action.split(':')[0]));
    for (const pattern of resources.map(patternIn).filter((one) => one.includes('*'))) {
      const known = REASONS.find((one) => services.has(one.service) && one.pattern.test(pattern));
      if (known !== undefined) explain(role, { [`IAM5[Resource::${pattern}]`]: known.reason });
    }
  }
}
