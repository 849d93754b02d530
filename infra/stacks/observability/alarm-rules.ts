import { Duration, type Stack } from 'aws-cdk-lib';
import { ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Stage } from '../../settings/stages.ts';
import { createAlarm } from './alarm-topic.ts';
import type { MonitoredResources } from './monitored-resources.ts';

export type AlarmContext = { stack: Stack; stage: Stage; monitored: MonitoredResources };

export type AlarmRule = {
  metric: IMetric;
  /** The alarm is raised at or above this value. With `tooFew`, it is raised below this value. */
  atLeast: number;
  tooFew?: boolean;
  /** The alarm is raised if `bad` of the last `of` periods breach the threshold. Default: 1 of 1. */
  periods?: readonly [bad: number, of: number];
  /**
   * What a period without data means. Default: `fine`, because a metric that counts errors has no data while no error
   * occurs. With `unchanged`, the alarm keeps its state.
   */
  missingData?: 'fine' | 'breaching' | 'unchanged';
  runbook: string;
  says: string;
};

const MISSING_DATA = {
  fine: TreatMissingData.NOT_BREACHING,
  breaching: TreatMissingData.BREACHING,
  unchanged: TreatMissingData.IGNORE,
};

export function addRuleAlarm(
  { stack, stage }: Pick<AlarmContext, 'stack' | 'stage'>,
  id: string,
  rule: AlarmRule,
): void {
  const { metric, atLeast, tooFew = false, periods = [1, 1], missingData = 'fine', runbook, says } = rule;
  createAlarm(stack, id, {
    stage,
    runbook,
    says,
    metric,
    threshold: atLeast,
    datapointsToAlarm: periods[0],
    evaluationPeriods: periods[1],
    comparisonOperator: tooFew
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: MISSING_DATA[missingData],
  });
}

/** A rule on the sum of a custom metric within a period. */
export const sumRule = (
  { monitored }: AlarmContext,
  name: string,
  rule: Omit<AlarmRule, 'metric'> & { within: Duration },
): AlarmRule => ({ ...rule, metric: monitored.own(name, { statistic: 'Sum', period: rule.within }) });

export const MINUTES = { five: Duration.minutes(5), fifteen: Duration.minutes(15), sixty: Duration.hours(1) } as const;
