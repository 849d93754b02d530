import { describe, expect, test } from 'vitest';
import { parseEdgeSettings } from '../../../infra/settings/edge-settings.ts';
import { deployed, deployedFunctions, type Synthesized, synthesize, synthesizedStage } from '../../support/stacks.ts';

const DISTRIBUTION = 'E1EXAMPLE23456';
const settingsOf = (given: Record<string, unknown>) => parseEdgeSettings((name) => given[name]);
const MANAGING = ['background/remove-domain', 'background/sweep-domains'];

type Statement = { Action: string | string[]; Resource: unknown; Condition?: unknown };

/** Returns the statements of a function's policy for CloudFront and ACM. Resources have no partition and account. */
function atTheEdge(synthesized: Synthesized, id: string) {
  const { role } = deployed(synthesized, id);
  const statements: Statement[] = role.properties.Policies[0].PolicyDocument.Statement;
  const ours = statements.filter(({ Action }) => [Action].flat().some((action) => /^(?:cloudfront|acm):/.test(action)));
  return ours.map(({ Action, Resource, Condition }) => ({
    actions: [Action].flat().map((action) => action.replace(/DistributionTenant$/, 'Tenant')),
    resources: [Resource].flat().map(plain),
    ...(Condition !== undefined && { condition: Condition }),
  }));
}

/** Returns an ARN without its references to partition and account. */
const plain = (arn: unknown): string => {
  if (typeof arn === 'string') return arn;
  const {
    'Fn::Join': [, parts],
  } = arn as { 'Fn::Join': [string, unknown[]] };
  return parts.map((part) => (typeof part === 'string' ? part : '')).join('');
};

const warningsOf = ({ stacks }: Synthesized): string =>
  stacks.api.node.metadata
    .filter(({ type }) => type === 'aws:cdk:warning')
    .map(({ data }) => String(data))
    .join('\n');

describe('with a distribution', () => {
  const synthesized = synthesize({ edgeDistribution: DISTRIBUTION, edgeConnectionGroup: 'cg_EXAMPLE' });

  const belonging = [`arn::cloudfront:::distribution/${DISTRIBUTION}`, 'arn::cloudfront:::connection-group/cg_EXAMPLE'];
  const tenants = ['arn::cloudfront:::distribution-tenant/*'];
  const reads = ['cloudfront:GetTenant', 'cloudfront:GetManagedCertificateDetails'];
  const changingOwn = {
    actions: ['cloudfront:DeleteTenant', 'cloudfront:UpdateTenant'],
    resources: tenants,
    condition: { StringEquals: { 'aws:ResourceTag/tributary-edge': DISTRIBUTION } },
  };
  const certificates = {
    actions: ['acm:DeleteCertificate', 'acm:DescribeCertificate'],
    resources: ['arn::acm:us-east-1::certificate/*'],
  };

  test('sweep-domains may create tenants of this distribution, and may change and delete tenants with its tag', () => {
    expect(atTheEdge(synthesized, 'background/sweep-domains')).toEqual([
      {
        actions: ['cloudfront:CreateTenant', 'cloudfront:GetConnectionGroup', 'cloudfront:UpdateTenant'],
        resources: belonging,
      },
      { actions: ['cloudfront:CreateTenant', ...reads, 'cloudfront:TagResource'], resources: tenants },
      changingOwn,
      {
        actions: ['acm:RequestCertificate'],
        resources: ['*'],
        condition: { StringEquals: { 'acm:ValidationMethod': 'HTTP' } },
      },
      certificates,
    ]);
  });

  test('remove-domain may change and delete tenants with the tag of this distribution, but may not create tenants', () => {
    expect(atTheEdge(synthesized, 'background/remove-domain')).toEqual([
      { actions: ['cloudfront:GetConnectionGroup', 'cloudfront:UpdateTenant'], resources: belonging },
      { actions: reads, resources: tenants },
      changingOwn,
      certificates,
    ]);
  });

  test.each(MANAGING)('%s gets the distribution and its connection group as settings', (id) => {
    expect(deployed(synthesized, id).lambda.properties.Environment.Variables).toMatchObject({
      EDGE_DISTRIBUTION_ID: DISTRIBUTION,
      EDGE_CONNECTION_GROUP_ID: 'cg_EXAMPLE',
    });
  });

  test('only remove-domain and sweep-domains have permissions or settings for the edge', () => {
    const others = deployedFunctions.map(({ id }) => id).filter((id) => !MANAGING.includes(id));
    for (const id of others) {
      expect(atTheEdge(synthesized, id)).toEqual([]);
      const { Variables: variables = {} } = deployed(synthesized, id).lambda.properties.Environment ?? {};
      expect(Object.keys(variables).join()).not.toMatch(/EDGE/);
    }
  });

  test('synthesis has no warning about custom domains', () => {
    expect(warningsOf(synthesized)).not.toContain('Custom domains are not served');
  });
});

describe('without a distribution', () => {
  const synthesized = synthesizedStage();

  test.each(MANAGING)('%s has no permissions and no settings for the edge', (id) => {
    expect(atTheEdge(synthesized, id)).toEqual([]);
    const { Variables: variables } = deployed(synthesized, id).lambda.properties.Environment;
    expect(Object.keys(variables).join()).not.toMatch(/EDGE/);
  });

  test('synthesis warns that the distribution is missing', () => {
    expect(warningsOf(synthesized)).toContain('-c edgeDistribution=E');
  });
});

test('without edgeConnectionGroup, any connection group is allowed, because the id of the default group is not known', () => {
  const [first] = atTheEdge(synthesize({ edgeDistribution: DISTRIBUTION }), 'background/sweep-domains');
  expect(first?.resources).toContain('arn::cloudfront:::connection-group/*');
});

test.each([
  [{ edgeDistribution: 'arn:aws:cloudfront::111122223333:distribution/E1' }, /^edgeDistribution: must be an id/],
  [{ edgeDistribution: '*' }, /^edgeDistribution: must be an id/],
  [{ edgeDistribution: 7 }, /^edgeDistribution: must be an id/],
  [{ edgeDistribution: '' }, /^edgeDistribution: must be an id/],
  [{ edgeDistribution: DISTRIBUTION, edgeConnectionGroup: '*' }, /^edgeConnectionGroup: must be an id/],
  [{ edgeConnectionGroup: 'cg_EXAMPLE' }, /^edgeConnectionGroup needs edgeDistribution/],
])('the settings %o are rejected with a message', (given, sentence) => {
  expect(() => settingsOf(given)).toThrow(sentence);
});
