import type { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { operations } from '../../../../functions/declarations.ts';
import { FIXED_RESOURCES } from '../../../../infra/cli/cost/fixed-costs.ts';
import { CUSTOM_METRICS } from '../../../../infra/stacks/observability/custom-metrics.ts';
import { synthesizedStage } from '../../../support/stacks.ts';

const RULE_LISTS = 'Rules';

/** The number of metrics in alarms. An alarm with metric math is billed for each metric. */
const metricsOfAlarms = (templates: readonly Template[]): number =>
  templates
    .flatMap((template) => Object.values(template.findResources('AWS::CloudWatch::Alarm')))
    .map(({ Properties: { Metrics = [] } }) => Metrics.filter((one: object) => 'MetricStat' in one).length || 1)
    .reduce((sum, count) => sum + count, 0);

/** Metrics that every operation counts. */
const OF_ALL: readonly string[] = ['ServerErrors', 'LimitNotCounted', 'LimitNotRefunded'];

/**
 * The number of custom metrics on the bill. A metric is billed once for all functions together, and once for each
 * function that counts it.
 */
const ownMetrics = (): number =>
  Object.values(CUSTOM_METRICS)
    .flatMap((widgets) => widgets.flatMap(({ names }) => [...names]))
    .reduce((sum, name) => sum + 1 + (OF_ALL.includes(name) ? operations.length : 1), 0);

const recordsMetrics = (template: Template): boolean =>
  Object.values(template.findResources('AWS::Lambda::Function')).some(
    ({ Properties }) => Properties.Environment.Variables.POWERTOOLS_METRICS_DISABLED !== 'true',
  );

test.each([
  ['dev', 'dev'],
  ['prod', 'prod'],
  ['pr-123', 'preview'],
] as const)('the stage %s has no more billed resources than declared for the stage kind %s', (stage, kind) => {
  const { templates } = synthesizedStage(stage);
  const all = Object.values(templates);
  const count = (type: string) =>
    all.reduce((sum, template) => sum + Object.keys(template.findResources(type)).length, 0);
  const rules = all
    .flatMap((template) => Object.values(template.findResources('AWS::WAFv2::WebACL')))
    .reduce((sum, { Properties }) => sum + (Properties[RULE_LISTS]?.length ?? 0), 0);
  const { alarmMetrics, dashboards, metrics, secrets, keys, firewallRules, shards } = FIXED_RESOURCES[kind];
  if (kind !== 'preview') expect(count('AWS::CloudWatch::Dashboard')).toBeGreaterThan(0);
  if (stage === 'prod') expect(count('AWS::CloudWatch::Alarm')).toBeGreaterThan(0);
  expect(count('AWS::KMS::Key')).toBeLessThanOrEqual(keys);
  expect(count('AWS::SecretsManager::Secret')).toBeGreaterThan(0);
  expect(metricsOfAlarms(all)).toBeLessThanOrEqual(alarmMetrics);
  expect(recordsMetrics(templates.api) ? ownMetrics() : 0).toBeLessThanOrEqual(metrics);
  expect(count('AWS::CloudWatch::Dashboard')).toBeLessThanOrEqual(dashboards);
  expect(count('AWS::SecretsManager::Secret')).toBeLessThanOrEqual(secrets);
  expect(count('AWS::WAFv2::WebACL')).toBeLessThanOrEqual(1);
  expect(rules).toBeLessThanOrEqual(firewallRules);
  const [stream] = Object.values(templates.streaming.findResources('AWS::Kinesis::Stream'));
  expect(stream?.Properties.ShardCount ?? 0).toBe(shards);
});
