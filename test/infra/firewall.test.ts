import { describe, expect, test } from 'vitest';
import { operations } from '../../functions/operations.ts';
import { pathPattern } from '../../infra/api/firewall.ts';
import { pascal } from '../../infra/functions/service-function.ts';
import { type Synthesized, synthesize } from '../support/stacks.ts';

const prod = synthesize({ stage: 'prod' });
const dev = synthesize();

const aclOf = ({ templates }: Synthesized) => {
  const [acl] = Object.values(templates.api.findResources('AWS::WAFv2::WebACL'));
  return acl?.Properties;
};
type Rule = { Name: string; Statement: Record<string, Record<string, unknown>> } & Record<string, unknown>;
const rulesOf = (of: Synthesized): Rule[] => aclOf(of).Rules;

describe.each([
  ['prod', prod],
  ['dev', dev],
] as const)('in %s', (_, stage) => {
  test('it stands before the stage of the API, and lets through what no rule refuses', () => {
    expect(aclOf(stage)).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
    const [association] = Object.values(stage.templates.api.findResources('AWS::WAFv2::WebACLAssociation'));
    expect(JSON.stringify(association?.Properties.ResourceArn)).toContain('/stages/');
  });

  test.each(operations.filter(({ limits }) => limits.perMinutePerIp !== undefined))(
    '429: $id above its declared limit of one address, counted over a minute',
    ({ id, method, path, limits }) => {
      const rule = rulesOf(stage).find(({ Name }) => Name === pascal(id));
      expect(rule).toMatchObject({
        Action: { Block: {} },
        Statement: { RateBasedStatement: { Limit: limits.perMinutePerIp, EvaluationWindowSec: 60 } },
      });
      const rate = rule?.Statement.RateBasedStatement;
      expect(rate?.AggregateKeyType).toBe(limits.perFunnel ? 'CUSTOM_KEYS' : 'IP');
      expect(rate?.CustomKeys).toEqual(
        limits.perFunnel ? [{ IP: {} }, { UriPath: { TextTransformations: expect.any(Array) } }] : undefined,
      );
      expect(rate?.ScopeDownStatement).toMatchObject({
        AndStatement: {
          Statements: [
            { ByteMatchStatement: { FieldToMatch: { Method: {} }, SearchString: method } },
            { RegexMatchStatement: { FieldToMatch: { UriPath: {} }, RegexString: pathPattern(path) } },
          ],
        },
      });
    },
  );

  test('it keeps no request: neither samples nor logs, which hold addresses', () => {
    const shown = [aclOf(stage), ...rulesOf(stage)].map(({ VisibilityConfig }) => VisibilityConfig);
    for (const config of shown) expect(config).toMatchObject({ SampledRequestsEnabled: false });
    expect(stage.templates.api.findResources('AWS::WAFv2::LoggingConfiguration')).toEqual({});
  });
});

test('only rates refuse: what AWS knows as attacks is counted, in prod alone', () => {
  const groups = rulesOf(prod).filter(({ Statement }) => Statement.ManagedRuleGroupStatement);
  expect(groups).toHaveLength(2);
  for (const group of groups) {
    expect(group.OverrideAction).toEqual({ Count: {} });
    expect(group.Action).toBeUndefined();
  }
  expect(rulesOf(dev).every(({ Statement }) => Statement.RateBasedStatement)).toBe(true);
});

test('no two rules have the same priority', () => {
  const priorities = rulesOf(prod).map(({ Priority }) => Priority);
  expect(new Set(priorities).size).toBe(priorities.length);
});

describe('the path of submit', () => {
  const submit = new RegExp(pathPattern('/api/v2/public/funnel/{id}/submit'));

  test.each([
    '/prod/api/v2/public/funnel/1b4e28ba/submit',
    '/api/v2/public/funnel/1b4e28ba/submit',
    '/dev/api/v2/public/funnel/x/submit/',
  ])('%s is its own', (path) => expect(submit.test(path)).toBe(true));

  test.each([
    '/api/v2/public/funnel/a/b/submit',
    '/api/v2/public/funnel/a/submits',
    '/api/v2/public/funnel/a/analytics',
  ])('%s is not', (path) => expect(submit.test(path)).toBe(false));
});
