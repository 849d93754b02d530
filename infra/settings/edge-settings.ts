import { Annotations, type Stack } from 'aws-cdk-lib';
import { TENANT_TAG } from '../../shared/domains/aws/cloudfront-tenants.ts';
import type { Settings } from './settings.ts';

/** The CloudFront resources that serve custom domains. */
export type EdgeSettings = {
  /** Id of the multi-tenant CloudFront distribution. If absent, the CDN serves no custom domain. */
  distributionId?: string;
  /**
   * Id of the connection group to which visitors connect. If absent, the account's default connection group is used.
   */
  connectionGroupId?: string;
};

const DISTRIBUTION = /^E[A-Z0-9]{6,31}$/;
const CONNECTION_GROUP = /^cg_[A-Za-z0-9]{1,61}$/;

/**
 * Reads `edgeDistribution` and `edgeConnectionGroup` from CDK context.
 *
 * @throws Error with a message for the operator
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
    throw new Error('edgeConnectionGroup needs edgeDistribution, the id of a multi-tenant CloudFront distribution.');
  }
  return { ...(distributionId && { distributionId }), ...(connectionGroupId && { connectionGroupId }) };
}

/**
 * Resources of the grants for the edge; empty if no distribution is configured. Policies cannot name tenants and
 * certificates, because AWS generates their ids. Tenants have a tag. A condition allows changing and deleting only
 * tenants with the tag of this distribution. Certificates have no tag, so the grants cover all certificates of the
 * account in us-east-1. ACM refuses to delete a certificate in use.
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
    // RequestCertificate supports no resource-level permissions, so only a condition restricts it.
    'certificates:new': { ...at('*'), conditions: { StringEquals: { 'acm:ValidationMethod': 'HTTP' } } },
    'certificates:edge': at(`arn:${partition}:acm:us-east-1:${account}:certificate/*`),
  };
}

export function warnAboutCustomDomains(stack: Stack, { distributionId }: EdgeSettings): void {
  if (distributionId !== undefined) return;
  Annotations.of(stack).addWarningV2(
    'tributary:no-edge',
    'Custom domains are not served by the CDN. Set a multi-tenant CloudFront distribution with -c edgeDistribution=E….',
  );
}
