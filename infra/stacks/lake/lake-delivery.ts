import { ArnFormat, Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import { LogGroup, LogStream } from 'aws-cdk-lib/aws-logs';
import { EVENT_ERRORS_PREFIX, EVENTS_PREFIX } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import { explain } from '../../nag/acknowledge-findings.ts';
import { explainWildcards } from '../../nag/wildcards.ts';
import { deliveryName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { removalPolicy } from '../data/removal-policy.ts';
import { createAlarm, hasAlarms } from '../observability/alarm-topic.ts';
import type { LakeDatabase, LakeResources } from './lake-tables.ts';

/**
 * Firehose writes a file when either limit is reached. The size is Firehose's maximum, 128 MiB. Athena reads files of
 * this size fastest.
 */
const BUFFER = { sizeInMBs: 128, intervalInSeconds: 300 };
/** Threshold of the alarms on delay. It is three times the buffer's interval. */
const STALE = Duration.minutes(15);

/**
 * Creates the Firehose stream that writes events from the event stream to files of the lake, and alarms on failures.
 */
export function deliverEvents(stack: Stack, stage: Stage, resources: LakeResources, database: LakeDatabase): void {
  const logGroup = new LogGroup(stack, 'DeliveryLogs', {
    retention: stage.logRetention,
    removalPolicy: removalPolicy(stage),
  });
  const logStream = new LogStream(stack, 'DeliveryLog', { logGroup, removalPolicy: RemovalPolicy.DESTROY });
  const role = roleOf(stack, resources, database, { logGroup, logStream });
  const delivery = new CfnDeliveryStream(stack, 'Delivery', {
    deliveryStreamName: deliveryName(stage),
    deliveryStreamType: 'KinesisStreamAsSource',
    kinesisStreamSourceConfiguration: {
      kinesisStreamArn: resources['stream:events'].arn,
      roleArn: role.roleArn,
    },
    extendedS3DestinationConfiguration: {
      roleArn: role.roleArn,
      bucketArn: bucketArn(stack, resources),
      prefix: `${EVENTS_PREFIX}arrival_date=!{timestamp:yyyy-MM-dd}/`,
      errorOutputPrefix: `${EVENT_ERRORS_PREFIX}!{firehose:error-output-type}/!{timestamp:yyyy-MM-dd}/`,
      fileExtension: '.parquet',
      bufferingHints: BUFFER,
      // Files are not compressed again, because Parquet is compressed internally.
      compressionFormat: 'UNCOMPRESSED',
      cloudWatchLoggingOptions: {
        enabled: true,
        logGroupName: logGroup.logGroupName,
        logStreamName: logStream.logStreamName,
      },
      dataFormatConversionConfiguration: {
        enabled: true,
        inputFormatConfiguration: { deserializer: { openXJsonSerDe: {} } },
        // GZIP, because queries are billed by bytes read, and gzip files are smaller than snappy files.
        outputFormatConfiguration: { serializer: { parquetSerDe: { compression: 'GZIP' } } },
        schemaConfiguration: {
          catalogId: stack.account,
          databaseName: database.name,
          tableName: database.rawEvents.name,
          region: stack.region,
          roleArn: role.roleArn,
          versionId: 'LATEST',
        },
      },
    },
  });
  explain(delivery, {
    KDF1:
      'Its source is the event stream, which is encrypted with KMS. With a stream as its source, Firehose stores no data ' +
      'itself and rejects a key.',
  });
  delivery.addResourceDependency(database.rawEvents.resource);
  // The creation of the Firehose stream uses the role, so the role's policy must exist first.
  delivery.node.addDependency(role);
  if (hasAlarms(stage)) alarms(stack, stage, delivery);
}

const bucketArn = (stack: Stack, resources: LakeResources): string =>
  stack.formatArn({ service: 's3', region: '', account: '', resource: resources['bucket:lake'].name });

type Logs = { logGroup: LogGroup; logStream: LogStream };

/**
 * Creates the role of Firehose. Its statements are explicit, like those of the roles of functions (lambda-function.ts).
 * The permissions are those that the Firehose developer guide lists for the source, the schema, the destination and the
 * log.
 */
function roleOf(stack: Stack, resources: LakeResources, database: LakeDatabase, { logGroup, logStream }: Logs) {
  const bucket = bucketArn(stack, resources);
  const glue = (resource: string, resourceName?: string) =>
    stack.formatArn({ service: 'glue', resource, ...(resourceName !== undefined && { resourceName }) });
  const allow = (actions: string[], ...arns: string[]) => new PolicyStatement({ actions, resources: arns });
  const statements = [
    allow(
      ['kinesis:DescribeStream', 'kinesis:GetRecords', 'kinesis:GetShardIterator', 'kinesis:ListShards'],
      resources['stream:events'].arn,
    ),
    allow(
      ['glue:GetTable', 'glue:GetTableVersion', 'glue:GetTableVersions'],
      glue('catalog'),
      glue('database', database.name),
      glue('table', `${database.name}/${database.rawEvents.name}`),
    ),
    allow(['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'], bucket),
    allow(
      ['s3:AbortMultipartUpload', 's3:GetObject', 's3:PutObject'],
      `${bucket}/${EVENTS_PREFIX}*`,
      `${bucket}/${EVENT_ERRORS_PREFIX}*`,
    ),
    allow(
      ['logs:PutLogEvents'],
      stack.formatArn({
        service: 'logs',
        resource: 'log-group',
        resourceName: `${logGroup.logGroupName}:log-stream:${logStream.logStreamName}`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    ),
  ];
  const delivering = new Role(stack, 'DeliveryRole', {
    assumedBy: new ServicePrincipal('firehose.amazonaws.com'),
    inlinePolicies: { delivery: new PolicyDocument({ statements, minimize: false }) },
  });
  explainWildcards(delivering, statements);
  return delivering.withoutPolicyUpdates();
}

function alarms(stack: Stack, stage: Stage, delivery: CfnDeliveryStream): void {
  const metric = (metricName: string, statistic: string, period: Duration) =>
    new Metric({
      namespace: 'AWS/Firehose',
      metricName,
      statistic,
      period,
      dimensionsMap: { DeliveryStreamName: delivery.ref },
    });
  createAlarm(stack, 'FailedConversions', {
    stage,
    runbook: 'firehose-cannot-convert-records',
    says:
      'Firehose could not convert records to Parquet. The records are stored below ' +
      `${EVENT_ERRORS_PREFIX} in the lake bucket, each with its error.`,
    metric: metric('FailedConversion.Records', 'Sum', Duration.minutes(5)),
    threshold: 1,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  const late = (id: string, says: string, metricName: string, threshold: number) =>
    createAlarm(stack, id, {
      stage,
      says,
      runbook: 'the-lake-is-behind',
      metric: metric(metricName, 'Maximum', Duration.minutes(5)),
      threshold,
      evaluationPeriods: 3,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  late(
    'StaleLake',
    'Events that Firehose read 15 minutes ago are not in the lake yet. Firehose may discard them after 24 hours.',
    'DeliveryToS3.DataFreshness',
    STALE.toSeconds(),
  );
  // The freshness metric includes only records that Firehose has read. This alarm is about records in the stream.
  late(
    'LakeBehind',
    'Firehose reads the event stream more than 15 minutes late. The stream keeps events for seven days.',
    'KinesisMillisBehindLatest',
    STALE.toMilliseconds(),
  );
}
