import { randomUUID } from 'node:crypto';
import { CloudFrontClient, CreateDistributionTenantCommand } from '@aws-sdk/client-cloudfront';
import { beforeAll, expect, test } from 'vitest';
import { EDGE_DISTRIBUTION } from '../../../../infra/local/cloudfront/settings.ts';
import { runAsFunction } from '../../../../infra/policies/enforcement/running-function.ts';
import { aHostname, useCloudFront } from '../../../support/local/cloudfront.ts';
import { takeDenials } from '../../../support/policies/expected-denials.ts';

const edge = useCloudFront();

beforeAll(() => void Object.assign(process.env, { EDGE_DISTRIBUTION_ID: EDGE_DISTRIBUTION }));

/** Creates a tenant of the distribution outside of functions. @returns the tenant's id */
async function aTenant(tags: Record<string, string>): Promise<string> {
  const domain = aHostname();
  const Items = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const client = new CloudFrontClient({ region: 'us-east-1', endpoint: edge.url() });
  const { DistributionTenant } = await client.send(
    new CreateDistributionTenantCommand({
      DistributionId: EDGE_DISTRIBUTION,
      Name: randomUUID(),
      Domains: [{ Domain: domain }],
      Enabled: true,
      ManagedCertificateRequest: { ValidationTokenHost: 'cloudfront', PrimaryDomainName: domain },
      Tags: { Items },
    }),
  );
  return DistributionTenant?.Id ?? '';
}

const disable = (id: string) => runAsFunction('background/remove-domain', () => edge.adapter().disable(id))();

test('remove-domain may update a tenant whose tag `tributary-edge` names the distribution', async () => {
  expect(await disable(await aTenant({ 'tributary-edge': EDGE_DISTRIBUTION }))).toBe('in_progress');
  expect(takeDenials()).toEqual([]);
});

test.each([{}, { 'tributary-edge': 'EANOTHER' }, { other: EDGE_DISTRIBUTION }])(
  'remove-domain may not update a tenant with the tags %o',
  async (tags) => {
    await expect(disable(await aTenant(tags))).rejects.toThrow('they lack a permission');
    expect(takeDenials()).toEqual([expect.stringContaining('cloudfront:UpdateDistributionTenant')]);
  },
);
