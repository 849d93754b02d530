import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { backgroundFunctions, operations } from '../../../../functions/declarations.ts';
import { CUSTOM_METRICS } from '../../../../infra/stacks/observability/custom-metrics.ts';
import { synthesize } from '../../../support/stacks.ts';

// AWS accepts graphs and alarms that use a metric without data. Such a graph stays empty, and such an alarm is useless.

const prod = synthesize({
  stage: 'prod',
  alarmMail: 'ops@example.com',
  smsSender: 'phone-number/phone-demo',
  monthlySmsUsd: '100',
});

/** Converts references to text, so that both sides of a comparison have the same format. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const all = (type: string) =>
  Object.values(prod.templates).flatMap((template) =>
    Object.entries(template.findResources(type)).map(([id, { Properties }]) => ({ id, properties: Properties })),
  );
const named = (type: string, name: string) => all(type).map(({ properties }) => textOf(properties[name]));

type Watched = { of: string; namespace: string; metric: string; dimensions: Record<string, string> };

const Dimension = z.object({ Name: z.string(), Value: z.unknown() });
const OfAlarm = z.object({ Namespace: z.string(), MetricName: z.string(), Dimensions: z.optional(z.array(Dimension)) });
const Alarm = z.object({
  Namespace: z.optional(z.string()),
  Metrics: z.optional(
    z.array(z.object({ Expression: z.optional(z.string()), MetricStat: z.optional(z.object({ Metric: OfAlarm })) })),
  ),
});

function ofAlarms(): Watched[] {
  return all('AWS::CloudWatch::Alarm').flatMap(({ id, properties }) => {
    const { Namespace, Metrics = [] } = Alarm.parse(properties);
    const metrics =
      Namespace === undefined ? Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) : [properties];
    expect([id, metrics.length > 0]).toEqual([id, true]);
    return metrics.map((given) => {
      const { Namespace: namespace, MetricName: metric, Dimensions = [] } = OfAlarm.parse(given);
      return {
        of: id,
        namespace,
        metric,
        dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, textOf(Value)])),
      };
    });
  });
}

const Body = z.object({
  widgets: z.array(
    z.object({
      type: z.string(),
      properties: z.object({ title: z.string(), metrics: z.optional(z.array(z.array(z.unknown()))) }),
    }),
  ),
});
const Rendered = z.object({ expression: z.string() });
const SEARCHED = /^SEARCH\('\{([\w/]+),([\w,]+)\} MetricName="([\w.]+)" (\w+)="([^"]+)"', '\w+', \d+\)$/;

/** Returns the widgets of all dashboards, with references as text. */
const graphs = () =>
  all('AWS::CloudWatch::Dashboard').flatMap(({ properties: { DashboardBody } }) => {
    const parts: unknown[] = DashboardBody['Fn::Join'][1];
    const text = parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(textOf(part)).slice(1, -1)));
    return Body.parse(JSON.parse(text.join(''))).widgets;
  });

function ofGraphs(): Watched[] {
  return graphs().flatMap(({ type, properties: { title, metrics = [] } }) => {
    expect([title, type === 'log' || metrics.length > 0]).toEqual([title, true]);
    return metrics.flatMap((row): Watched[] => {
      if (typeof row[0] !== 'string') return ofExpression(title, Rendered.parse(row[0]).expression);
      const [namespace = '', metric = '', ...rest] = row.filter((part) => typeof part === 'string');
      const pairs = rest.flatMap((name, at) => (at % 2 === 0 ? [[name, rest[at + 1] ?? '']] : []));
      return [{ of: title, namespace, metric, dimensions: Object.fromEntries(pairs) }];
    });
  });
}

/**
 * Returns the metrics in a search expression. Returns no metrics for an expression without `SEARCH`, because it only
 * refers to metrics in other rows of the graph.
 */
function ofExpression(of: string, expression: string): Watched[] {
  if (!expression.includes('SEARCH')) return [];
  const [, namespace = '', names = '', metric = '', name = '', value = ''] = SEARCHED.exec(expression) ?? [];
  expect(namespace, expression).not.toBe('');
  const dimensions = Object.fromEntries(names.split(',').map((one) => [one, 'any']));
  expect(Object.keys(dimensions)).toContain(name);
  return [{ of, namespace, metric, dimensions: { ...dimensions, [name]: value } }];
}

const watched = [...ofAlarms(), ...ofGraphs()];
const FUNCTIONS = [...operations, ...backgroundFunctions].map(({ id }) => id);
const OWN = Object.values(CUSTOM_METRICS).flatMap((shown) => shown.flatMap(({ names }) => [...names]));
const lambdas = named('AWS::Lambda::Function', 'FunctionName');
const aliases = all('AWS::Lambda::Alias').map(({ properties }) => properties.Name);
const tables = all('AWS::DynamoDB::GlobalTable');
const refOf = (name: string) => (value: string) => value.includes(name);

/**
 * By service: the metrics and sets of dimensions in its documentation. For each dimension, a function checks whether a
 * value is the name of an existing resource.
 */
const PUBLISHED: Record<
  string,
  { metrics: readonly string[]; sets: readonly Record<string, (value: string) => boolean>[] }
> = {
  Tributary: {
    metrics: OWN,
    sets: [
      { service: (value) => value === 'tributary-prod' },
      { service: (value) => value === 'tributary-prod', function: (value) => FUNCTIONS.includes(value) },
    ],
  },
  'AWS/Lambda': {
    metrics: ['Invocations', 'Errors', 'Throttles', 'Duration', 'IteratorAge'],
    sets: [
      { FunctionName: (value) => lambdas.includes(value) || value.includes('"Ref"') },
      { FunctionName: refOf('"Ref"'), Resource: (value) => aliases.some((alias) => value.includes(`:${alias}`)) },
    ],
  },
  'AWS/ApiGateway': {
    metrics: ['Count', '4XXError', '5XXError', 'Latency', 'IntegrationLatency'],
    sets: [
      {
        ApiName: (value) => named('AWS::ApiGateway::RestApi', 'Name').includes(value),
        Stage: (value) => named('AWS::ApiGateway::Stage', 'StageName').includes(value),
      },
    ],
  },
  'AWS/SQS': {
    metrics: ['ApproximateNumberOfMessagesVisible', 'NumberOfMessagesSent'],
    sets: [{ QueueName: (value) => named('AWS::SQS::Queue', 'QueueName').includes(value) }],
  },
  'AWS/Kinesis': {
    metrics: ['IncomingRecords', 'IncomingBytes', 'GetRecords.Bytes', 'WriteProvisionedThroughputExceeded'],
    sets: [{ StreamName: refOf('Events') }],
  },
  'AWS/DynamoDB': {
    metrics: ['ReadThrottleEvents', 'WriteThrottleEvents', 'ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'],
    sets: [
      { TableName: (value) => tables.some(({ id }) => value.includes(id)) },
      {
        TableName: (value) => tables.some(({ id }) => value.includes(id)),
        GlobalSecondaryIndexName: (value) =>
          tables.some(({ properties }) => textOf(properties.GlobalSecondaryIndexes ?? '').includes(`"${value}"`)),
      },
    ],
  },
  'AWS/Firehose': {
    metrics: ['KinesisMillisBehindLatest', 'DeliveryToS3.DataFreshness', 'FailedConversion.Records'],
    sets: [
      {
        DeliveryStreamName: (value) =>
          named('AWS::KinesisFirehose::DeliveryStream', 'DeliveryStreamName').includes(value) ||
          value.includes('"Ref"'),
      },
    ],
  },
  'AWS/SES': {
    metrics: ['Send', 'Delivery', 'Bounce', 'Reputation.BounceRate', 'Reputation.ComplaintRate'],
    sets: [{}],
  },
  'AWS/SMSVoice': { metrics: ['TextMessageMonthlySpend'], sets: [{}] },
  'AWS/WAFV2': {
    metrics: ['AllowedRequests', 'BlockedRequests', 'CountedRequests'],
    sets: [
      {
        Region: () => true,
        Rule: () => true,
        // The value of this dimension is the metric name of the web ACL, not its resource name.
        WebACL: (value) =>
          all('AWS::WAFv2::WebACL').some(({ properties }) => properties.VisibilityConfig.MetricName === value),
      },
    ],
  },
};

const isPublished = ({ namespace, metric, dimensions }: Watched): boolean => {
  const published = PUBLISHED[namespace];
  const given = Object.entries(dimensions);
  return (
    published?.metrics.includes(metric) === true &&
    published.sets.some(
      (set) => given.length === Object.keys(set).length && given.every(([name, value]) => set[name]?.(value) === true),
    )
  );
};

test('every graph and every alarm uses a published metric of an existing resource', () => {
  expect(watched.length).toBeGreaterThan(300);
  expect(watched.filter((one) => !isPublished(one))).toEqual([]);
  expect(Object.keys(PUBLISHED).filter((one) => !watched.some(({ namespace }) => namespace === one))).toEqual([]);
});

test('isPublished detects a misspelt metric, an additional dimension, and a missing resource or namespace', () => {
  const own: Watched = {
    of: 'x',
    namespace: 'Tributary',
    metric: 'ServerErrors',
    dimensions: { service: 'tributary-prod' },
  };
  expect(isPublished(own)).toBe(true);
  expect(isPublished({ ...own, metric: 'ServerEror' })).toBe(false);
  expect(isPublished({ ...own, dimensions: { service: 'tributary-dev' } })).toBe(false);
  expect(isPublished({ ...own, dimensions: { ...own.dimensions, function: 'funnel/nothing' } })).toBe(false);
  expect(isPublished({ ...own, dimensions: { ...own.dimensions, stage: 'prod' } })).toBe(false);
  expect(isPublished({ ...own, namespace: 'AWS/Nothing' })).toBe(false);
});
