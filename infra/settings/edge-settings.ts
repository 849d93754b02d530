import { Annotations, type Stack } from 'aws-cdk-lib';
import { TENANT_TAG } from '../../shared/domains/aws/cloudfront-tenants.ts';
import type { Settings } from './settings.ts';

/** What serves customers' own hostnames in a deployment. */
export type EdgeSettings = {
  /** The id of a multi-tenant CloudFront distribution; absent: no hostname is served. */
  distributionId?: string;
  /** The id of the connection group that visitors come by; absent: the account's default. */
  connectionGroupId?: string;
};

const DISTRIBUTION = /^E[A-Z0-9]{6,31}$/;
const CONNECTION_GROUP = /^cg_[A-Za-z0-9]{1,61}$/;

/**
 * Reads `edgeDistribution` and `edgeConnectionGroup` from CDK context.
 *
 * @throws Error, a sentence for the operator
 */
export function parseEdgeSettings(context: Settings): EdgeSettings {
  const given = (
    name: 'edgeDistribution' | 'edgeConnectionGroup',
    form: RegExp,
    example: string,
  ): string | undefined => {
    const value = context(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || !form.test(value)) throw new Error(`${name}: must be an id such as ${example}.`);
    return value;
  };
  const distributionId = given('edgeDistribution', DISTRIBUTION, 'E1EXAMPLE23456');
  const connectionGroupId = given('edgeConnectionGroup', CONNECTION_GROUP, 'cg_EXAMPLE');
  if (distributionId === undefined && connectionGroupId !== undefined) {
    throw new Error('edgeConnectionGroup needs edgeDistribution: the id of a multi-tenant CloudFront distribution.');
  }
  return { ...(distributionId && { distributionId }), ...(connectionGroupId && { connectionGroupId }) };
}

/**
 * What the edge's grants speak of: nothing where no distribution is configured. AWS makes the ids of tenants and
 * certificates, so no policy can name them. Tenants are changed and deleted only if they carry our distribution's tag;
 * a certificate that CloudFront asks for can carry none. ACM deletes none that is in use.
 */
export function edgeResources(stack: Stack, { distributionId = '', connectionGroupId = '*' }: EdgeSettings) {
  const { partition, account } = stack;
  const at = (...arns: string[]) => ({ arn: distributionId === '' ? [] : arns, name: distributionId });
  const cloudFront = (resource: string) => `arn:${partition}:cloudfront::${account}:${resource}`;
  const tenants = cloudFront('distribution-tenant/*');
  return {
    'edge:distribution': at(
      cloudFront(`distribution/${distributionId}`),
      cloudFront(`connection-group/${connectionGroupId}`),
    ),
    'edge:tenants': at(tenants),
    'edge:own-tenants': {
      ...at(tenants),
      conditions: { StringEquals: { [`aws:ResourceTag/${TENANT_TAG}`]: distributionId } },
    },
    // RequestCertificate knows no resources: its conditions are all that narrows it.
    'certificates:new': { ...at('*'), conditions: { StringEquals: { 'acm:ValidationMethod': 'HTTP' } } },
    'certificates:edge': at(`arn:${partition}:acm:us-east-1:${account}:certificate/*`),
  };
}

/** Nobody shall learn from a customer that their hostname is not served. */
export function warnAboutCustomDomains(stack: Stack, { distributionId }: EdgeSettings): void {
  if (distributionId !== undefined) return;
  Annotations.of(stack).addWarningV2(
    'tributary:no-edge',
    "Customers' own hostnames are not served: name a multi-tenant CloudFront distribution with -c edgeDistribution=E….",
  );
}
