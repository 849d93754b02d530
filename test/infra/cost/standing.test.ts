import { expect, test } from 'vitest';
import { STANDING } from '../../../infra/cost/standing.ts';
import { synthesize } from '../../support/stacks.ts';

const RULE_LISTS = 'Rules';

test.each(['dev', 'prod'] as const)('what stands in the stacks of %s is paid for', (stage) => {
  const { templates } = synthesize({ stage });
  const all = Object.values(templates);
  const count = (type: string) =>
    all.reduce((sum, template) => sum + Object.keys(template.findResources(type)).length, 0);
  const rules = all
    .flatMap((template) => Object.values(template.findResources('AWS::WAFv2::WebACL')))
    .reduce((sum, { Properties }) => sum + (Properties[RULE_LISTS]?.length ?? 0), 0);
  const { alarms, dashboards, secrets, firewallRules } = STANDING[stage];
  expect(count('AWS::CloudWatch::Dashboard')).toBeGreaterThan(0);
  if (stage === 'prod') expect(count('AWS::CloudWatch::Alarm')).toBeGreaterThan(0);
  expect(count('AWS::SecretsManager::Secret')).toBeGreaterThan(0);
  expect(count('AWS::CloudWatch::Alarm')).toBeLessThanOrEqual(alarms);
  expect(count('AWS::CloudWatch::Dashboard')).toBeLessThanOrEqual(dashboards);
  expect(count('AWS::SecretsManager::Secret')).toBeLessThanOrEqual(secrets);
  expect(count('AWS::WAFv2::WebACL')).toBeLessThanOrEqual(1);
  expect(rules).toBeLessThanOrEqual(firewallRules);
});
