import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IMetric, type IWidget, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { CustomMetrics } from './custom-metrics.ts';
import type { MonitoredResources } from './monitored-resources.ts';

/** CloudWatch's grid has 24 columns. */
const HALF = 12;
const HEIGHT = 6;

type Unit = CustomMetrics['unit'] | 'ms' | 'percent' | 'units' | 'bytes' | 'GB-seconds' | 'messages' | 'US dollars';

export const graph = (title: string, unit: Unit, left: IMetric[], width = HALF): IWidget =>
  new GraphWidget({ title, left, width, height: HEIGHT, leftYAxis: { label: unit, min: 0, showUnits: false } });

/** Creates a graph with a line for each custom metric. */
export const customMetricGraph = (
  { own }: MonitoredResources,
  { title, unit, statistic, names }: CustomMetrics,
): IWidget =>
  graph(
    title,
    unit,
    names.map((label) => own(label, { statistic, label })),
  );

/** Returns the blocked requests by rule and in total. @param firewall metric name of the web ACL */
export const blockedRequests = (firewall: string): IMetric =>
  new MathExpression({
    expression: `SEARCH('{AWS/WAFV2,Region,Rule,WebACL} MetricName="BlockedRequests" WebACL="${firewall}"', 'Sum', 300)`,
    label: '',
    usingMetrics: {},
    period: Duration.minutes(5),
  });

/** Creates graphs of p50 and p99 of the functions' durations. */
export const durations = ({ lambda }: MonitoredResources, ids: readonly string[], title: string): IWidget[] =>
  [50, 99].map((percent) =>
    graph(
      `${title}, p${percent}`,
      'ms',
      ids.map((label) => lambda(label)('Duration', { statistic: Stats.p(percent), label })),
    ),
  );

/** Creates a graph of one metric with a line for each function. */
export const functionMetrics = (
  { lambda }: MonitoredResources,
  ids: readonly string[],
  title: string,
  metricName: string,
): IWidget =>
  graph(
    title,
    'times',
    ids.map((label) => lambda(label)(metricName, { statistic: 'Sum', label })),
  );
