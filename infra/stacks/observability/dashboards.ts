import { Duration } from 'aws-cdk-lib';
import {
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
import { accessLogGroupName, serviceName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { CUSTOM_METRICS } from './custom-metrics.ts';
import { blockedRequests, customMetricGraph, durations, functionMetrics, graph } from './dashboard-parts.ts';
import type { MonitoredResources } from './monitored-resources.ts';

type Dashboard = { id: string; question: string; widgets: (stage: Stage, monitored: MonitoredResources) => IWidget[] };

const CALLED = operations.map(({ id }) => id);
const ofArea = (...areas: string[]) => CALLED.filter((id) => areas.some((area) => id.startsWith(area)));
const LEADS = ofArea('funnel/submit', 'funnel/mfa', 'funnel/upload', 'training');
const NUMBERS = [...ofArea('analytics', 'funnel/ingest'), 'background/aggregate-events'];
const BACKGROUND = backgroundFunctions.map(({ id }) => id);
const HOUR = Duration.hours(1);

/** One dashboard per question about the service. */
export const DASHBOARDS: readonly Dashboard[] = [
  { id: 'pages', question: 'Are pages being served?', widgets: pages },
  { id: 'leads', question: 'Are leads and calls saved?', widgets: leads },
  { id: 'numbers', question: 'Are analytics fresh?', widgets: numbers },
  { id: 'cost', question: 'What does it cost?', widgets: cost },
];

function pages(stage: Stage, monitored: MonitoredResources): IWidget[] {
  const { api, ownOf } = monitored;
  return [
    graph('Requests', 'times', [
      api('Count', { statistic: 'Sum', label: 'all' }),
      api('4XXError', { statistic: 'Sum', label: '4xx' }),
      api('5XXError', { statistic: 'Sum', label: '5xx' }),
    ]),
    graph('Latency', 'ms', [
      api('Latency', { statistic: Stats.p(50), label: 'p50' }),
      api('Latency', { statistic: Stats.p(99), label: 'p99' }),
    ]),
    ...(stage.accessLogs ? [responsesByRoute(stage)] : []),
    graph(
      'Server errors by operation',
      'times',
      CALLED.map((label) => ownOf(label)('ServerErrors', { statistic: 'Sum', label })),
    ),
    functionMetrics(monitored, CALLED, 'Crashes and timeouts of functions', 'Errors'),
    ...durations(monitored, CALLED, 'Functions'),
    functionMetrics(monitored, CALLED, 'Requests throttled by Lambda', 'Throttles'),
    graph('Requests that the firewall blocked', 'times', [blockedRequests(serviceName(stage))]),
    ...CUSTOM_METRICS.pages.map((of) => customMetricGraph(monitored, of)),
  ];
}

/** Uses access logs, because API Gateway's metrics by method would cost extra. */
const responsesByRoute = (stage: Stage): IWidget =>
  new LogQueryWidget({
    title: 'Responses by route and status',
    logGroupNames: [accessLogGroupName(stage)],
    view: LogQueryVisualizationType.TABLE,
    queryLines: [
      'fields method, resource, status',
      'stats count(*) as requests, pct(latencyMs, 50) as p50ms, pct(latencyMs, 99) as p99ms by method, resource, status',
      'sort requests desc',
      'limit 100',
    ],
    width: 24,
    height: 8,
  });

function leads(_stage: Stage, monitored: MonitoredResources): IWidget[] {
  const { mail, tables, queue } = monitored;
  return [
    functionMetrics(monitored, LEADS, 'Requests', 'Invocations'),
    graph(
      'Server errors',
      'times',
      LEADS.map((label) => monitored.ownOf(label)('ServerErrors', { statistic: 'Sum', label })),
    ),
    ...durations(monitored, LEADS, 'Requests'),
    graph('E-mails', 'messages', [
      mail('Send', { statistic: 'Sum', label: 'sent' }),
      mail('Delivery', { statistic: 'Sum', label: 'delivered' }),
      mail('Bounce', { statistic: 'Sum', label: 'bounced' }),
    ]),
    graph(
      'Throttled reads and writes by table',
      'times',
      tables
        .flatMap((table) => [table, ...table.indexes])
        .flatMap(({ name, metric }) => [
          metric('ReadThrottleEvents', { statistic: 'Sum', label: `${name}, reads` }),
          metric('WriteThrottleEvents', { statistic: 'Sum', label: `${name}, writes` }),
        ]),
    ),
    graph(
      'Dead letters of background work and missed runs',
      'messages',
      ['BackgroundAnalyseCallDeadLetters', 'BackgroundRemoveDomainDeadLetters', 'MissedRuns'].map((label) =>
        queue(label)('ApproximateNumberOfMessagesVisible', { statistic: 'Maximum', label }),
      ),
    ),
    functionMetrics(monitored, BACKGROUND, 'Background runs that failed', 'Errors'),
    ...CUSTOM_METRICS.leads.map((of) => customMetricGraph(monitored, of)),
  ];
}

function numbers(_stage: Stage, monitored: MonitoredResources): IWidget[] {
  const { lambda, stream, delivery } = monitored;
  return [
    graph('Age of events when they are counted', 'ms', [
      lambda('background/aggregate-events')('IteratorAge', { statistic: 'Maximum', label: 'oldest' }),
    ]),
    graph('Batches of events', 'times', [
      stream('IncomingRecords', { statistic: 'Sum', label: 'accepted' }),
      stream('WriteProvisionedThroughputExceeded', { statistic: 'Sum', label: 'rejected' }),
    ]),
    functionMetrics(monitored, NUMBERS, 'Requests and batches', 'Invocations'),
    ...durations(monitored, NUMBERS, 'Requests and batches'),
    graph('Delay of Firehose behind the stream', 'ms', [
      delivery('KinesisMillisBehindLatest', { statistic: 'Maximum', label: 'behind' }),
    ]),
    graph('Age of the oldest event that is not in a file', 'seconds', [
      delivery('DeliveryToS3.DataFreshness', { statistic: 'Maximum', label: 'oldest' }),
    ]),
    graph('Records that Firehose could not convert', 'times', [
      delivery('FailedConversion.Records', { statistic: 'Sum', label: 'rejected' }),
    ]),
    ...CUSTOM_METRICS.numbers.map((of) => customMetricGraph(monitored, of)),
  ];
}

function cost(_stage: Stage, monitored: MonitoredResources): IWidget[] {
  const { tables, stream, mail, sms, api, lambda } = monitored;
  const compute = [...operations, ...backgroundFunctions].map(
    ({ id, limits }, at) =>
      new MathExpression({
        expression: `ms${at} / 1000 * ${limits.memoryMb / 1024}`,
        usingMetrics: { [`ms${at}`]: lambda(id)('Duration', { statistic: 'Sum', period: HOUR }) },
        label: id,
        period: HOUR,
      }),
  );
  const units = (kind: 'Read' | 'Write') =>
    tables.map(({ name, metric }) =>
      metric(`Consumed${kind}CapacityUnits`, { statistic: 'Sum', label: name, period: HOUR }),
    );
  return [
    graph('Compute of functions per hour', 'GB-seconds', compute, 24),
    functionMetrics(monitored, [...CALLED, ...BACKGROUND], 'Invocations', 'Invocations'),
    graph('API requests per hour', 'times', [api('Count', { statistic: 'Sum', period: HOUR, label: 'requests' })]),
    graph('Read units of tables per hour', 'units', units('Read')),
    graph('Write units of tables per hour', 'units', units('Write')),
    graph('Event bytes per hour', 'bytes', [
      stream('IncomingBytes', { statistic: 'Sum', period: HOUR, label: 'accepted' }),
      stream('GetRecords.Bytes', { statistic: 'Sum', period: HOUR, label: 'read' }),
    ]),
    graph('E-mails per hour', 'messages', [mail('Send', { statistic: 'Sum', period: HOUR, label: 'sent' })]),
    graph('SMS of this month', 'US dollars', [
      sms('TextMessageMonthlySpend', { statistic: 'Maximum', period: HOUR, label: 'spent' }),
    ]),
    ...CUSTOM_METRICS.cost.map((of) => customMetricGraph(monitored, of)),
  ];
}
