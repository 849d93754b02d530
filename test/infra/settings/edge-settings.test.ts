import { describe, expect, test } from 'vitest';
import { parseEdgeSettings } from '../../../infra/settings/edge-settings.ts';
import { deployed, deployedFunctions, type Synthesized, synthesize } from '../../support/stacks.ts';

const DISTRIBUTION = 'E1EXAMPLE23456';
const settingsOf = (given: Record<string, unknown>) => parseEdgeSettings((name) => given[name]);
const MANAGING = ['background/remove-domain', 'background/sweep-domains'];

type Statement = { Action: string | string[]; Resource: unknown; Condition?: unknown };

/** What a function may do at the edge: for each statement its actions, its resources without account, its conditions. */
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

/** An ARN with its references to partition and account left out. */
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

  test('the sweeper may make tenants of this distribution, change and delete those, and nothing else', () => {
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

  test('who removes a domain may change and delete tenants of this distribution, and make none', () => {
    expect(atTheEdge(synthesized, 'background/remove-domain')).toEqual([
      { actions: ['cloudfront:GetConnectionGroup', 'cloudfront:UpdateTenant'], resources: belonging },
      { actions: reads, resources: tenants },
      changingOwn,
      certificates,
    ]);
  });

  test.each(MANAGING)('%s knows the distribution and its connection group', (id) => {
    expect(deployed(synthesized, id).lambda.properties.Environment.Variables).toMatchObject({
      EDGE_DISTRIBUTION_ID: DISTRIBUTION,
      EDGE_CONNECTION_GROUP_ID: 'cg_EXAMPLE',
    });
  });

  test('no other function may do anything at the edge, or knows of it', () => {
    const others = deployedFunctions.map(({ id }) => id).filter((id) => !MANAGING.includes(id));
    for (const id of others) {
      expect(atTheEdge(synthesized, id)).toEqual([]);
      const { Variables: variables = {} } = deployed(synthesized, id).lambda.properties.Environment ?? {};
      expect(Object.keys(variables).join()).not.toMatch(/EDGE/);
    }
  });

  test('nothing is left to say', () => {
    expect(warningsOf(synthesized)).not.toContain('hostnames are not served');
  });
});

describe('without a distribution', () => {
  const synthesized = synthesize();

  test.each(MANAGING)('%s may do nothing at the edge, and finds none', (id) => {
    expect(atTheEdge(synthesized, id)).toEqual([]);
    const { Variables: variables } = deployed(synthesized, id).lambda.properties.Environment;
    expect(Object.keys(variables).join()).not.toMatch(/EDGE/);
  });

  test('the operator is told at synthesis', () => {
    expect(warningsOf(synthesized)).toContain('-c edgeDistribution=E');
  });
});

test('a connection group that is not named may be any: the account has one by default', () => {
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
])('%o is refused with a sentence', (given, sentence) => {
  expect(() => settingsOf(given)).toThrow(sentence);
});
