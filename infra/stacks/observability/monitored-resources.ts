import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { GrantResources } from '../../functions/grant-policies.ts';
import { deliveryName, functionName, queueName, serviceName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { TABLES } from '../data/tables.ts';

const FIVE_MINUTES = Duration.minutes(5);

type Measured = { statistic?: string; period?: Duration; label?: string };

/**
 * Returns the metrics of all monitored resources. Resources are referenced by name, so that stacks need no exports for
 * them.
 */
export function monitoredResources(stage: Stage, resources: GrantResources) {
  const of = (namespace: string, dimensionsMap: Record<string, string>) => (metricName: string, measured: Measured) =>
    new Metric({ namespace, metricName, dimensionsMap, period: FIVE_MINUTES, ...measured });
  return {
    /** Custom metrics over all functions. */
    own: of('Tributary', { service: serviceName(stage) }),
    ownOf: (id: string) => of('Tributary', { service: serviceName(stage), function: id }),
    lambda: (id: string) => of('AWS/Lambda', { FunctionName: functionName(stage, id) }),
    api: of('AWS/ApiGateway', { ApiName: serviceName(stage), Stage: stage.name }),
    queue: (id: string) => of('AWS/SQS', { QueueName: queueName(stage, id) }),
    stream: of('AWS/Kinesis', { StreamName: resources['stream:events'].name }),
    delivery: of('AWS/Firehose', { DeliveryStreamName: deliveryName(stage) }),
    tables: TABLES.map(({ name, indexes }) => {
      const TableName = resources[`table:${name}`].name;
      return {
        name,
        metric: of('AWS/DynamoDB', { TableName }),
        /** A table's metrics do not include its indexes. Throttled writes to an index block writes to the table. */
        indexes: indexes.map((index) => ({
          name: `${name}/${index.name}`,
          metric: of('AWS/DynamoDB', { TableName, GlobalSecondaryIndexName: index.name }),
        })),
      };
    }),
    mail: of('AWS/SES', {}),
    sms: of('AWS/SMSVoice', {}),
  };
}

export type MonitoredResources = ReturnType<typeof monitoredResources>;

/** Returns the sum of several metrics. An alarm on the sum can use at most ten metrics. */
export function sumOf(metrics: readonly Metric[], label: string, period = FIVE_MINUTES): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  // Without FILL, the sum would have no data if one of the metrics has none.
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, label, period });
}
