import { expect, test } from 'vitest';
import { LAKE_TABLES } from '../../../../infra/lake-views/lake-tables.ts';
import { LAKE_VIEWS } from '../../../../infra/lake-views/views.ts';
import { EventRow } from '../../../../shared/analytics/events/event-row.ts';
import { rawEventKey } from '../../../../shared/analytics/raw-events/raw-event-files.ts';
import { synthesizedStage } from '../../../support/stacks.ts';

const prod = synthesizedStage('prod');
const dev = synthesizedStage();
const { lake } = prod.templates;

const only = (type: string, template = lake) => {
  const found = Object.values(template.findResources(type));
  expect(found).toHaveLength(1);
  return found[0]?.Properties;
};
const all = (type: string) => Object.values(lake.findResources(type)).map(({ Properties }) => Properties);
const text = (value: unknown): string => JSON.stringify(prod.stacks.lake.resolve(value));

const table = (name: string) => all('AWS::Glue::Table').find(({ TableInput }) => TableInput.Name === name)?.TableInput;
const delivery = only('AWS::KinesisFirehose::DeliveryStream');
const s3 = delivery.ExtendedS3DestinationConfiguration;

test('Firehose writes events as Parquet into a folder per day of arrival, at least every five minutes', () => {
  expect(delivery.DeliveryStreamType).toBe('KinesisStreamAsSource');
  expect(text(delivery.KinesisStreamSourceConfiguration.KinesisStreamARN)).toContain('Events');
  expect(text(s3.BucketARN)).toContain('Lake');
  expect(s3.Prefix).toBe('events/arrival_date=!{timestamp:yyyy-MM-dd}/');
  expect(rawEventKey('2026-05-31', 'x')).toMatch(/^events\/arrival_date=\d{4}-\d{2}-\d{2}\//);
  expect(s3.BufferingHints).toEqual({ IntervalInSeconds: 300, SizeInMBs: 128 });
  expect(s3.DataFormatConversionConfiguration).toMatchObject({
    Enabled: true,
    InputFormatConfiguration: { Deserializer: { OpenXJsonSerDe: {} } },
    OutputFormatConfiguration: { Serializer: { ParquetSerDe: { Compression: 'GZIP' } } },
    SchemaConfiguration: { DatabaseName: 'tributary_prod', TableName: 'raw_events', VersionId: 'LATEST' },
  });
});

test('Firehose stores invalid records below errors/events/; alarms report invalid records and delays of Firehose', () => {
  expect(s3.ErrorOutputPrefix).toBe('errors/events/!{firehose:error-output-type}/!{timestamp:yyyy-MM-dd}/');
  const alarms = all('AWS::CloudWatch::Alarm');
  expect(alarms).toContainEqual(
    expect.objectContaining({
      Namespace: 'AWS/Firehose',
      MetricName: 'FailedConversion.Records',
      Statistic: 'Sum',
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    }),
  );
  expect(alarms).toContainEqual(
    expect.objectContaining({ MetricName: 'DeliveryToS3.DataFreshness', Threshold: 900, Statistic: 'Maximum' }),
  );
  expect(alarms).toContainEqual(
    expect.objectContaining({ MetricName: 'KinesisMillisBehindLatest', Threshold: 900_000, Statistic: 'Maximum' }),
  );
  const [[id] = ['']] = Object.entries(lake.findResources('AWS::KinesisFirehose::DeliveryStream'));
  for (const { Dimensions } of alarms) expect(Dimensions).toEqual([{ Name: 'DeliveryStreamName', Value: { Ref: id } }]);
});

test('each Glue table has the columns of its files; the columns of raw_events are bigint, string or boolean', () => {
  for (const { name, columns } of LAKE_TABLES) {
    const glue = table(name).StorageDescriptor.Columns;
    expect(glue.map((column: { Name: string }) => column.Name)).toEqual(columns.map((column) => column.name));
  }
  const types = new Map(table('raw_events').StorageDescriptor.Columns.map(({ Name, Type }: Column) => [Name, Type]));
  expect(Object.fromEntries(types)).toMatchObject({ session_key: 'bigint', time_ms: 'bigint', bot: 'boolean' });
  expect([...types.keys()]).toEqual(['session_key', ...Object.keys(EventRow.shape)]);
  expect(new Set(types.values())).toEqual(new Set(['bigint', 'string', 'boolean']));
});

type Column = { Name: string; Type: string };

test('the table raw_events is partitioned by day of arrival, and the table facts is not partitioned', () => {
  const { Parameters, PartitionKeys, StorageDescriptor } = table('raw_events');
  expect(PartitionKeys).toMatchObject([{ Name: 'arrival_date', Type: 'string' }]);
  expect(Parameters).toMatchObject({
    'projection.enabled': 'true',
    'projection.arrival_date.type': 'date',
    'projection.arrival_date.format': 'yyyy-MM-dd',
    'projection.arrival_date.range': expect.stringMatching(/^\d{4}-\d{2}-\d{2},NOW$/),
  });
  expect(text(Parameters['storage.location.template'])).toMatch(/events\/arrival_date=\$\{arrival_date\}\/"/);
  expect(text(StorageDescriptor.Location)).toMatch(/\/events\/"/);
  expect(text(table('facts').StorageDescriptor.Location)).toMatch(/\/facts\/"/);
  expect(table('facts').PartitionKeys).toBeUndefined();
});

test('Firehose may only read the stream and the schema, write below two prefixes, and write its log', () => {
  const role = only('AWS::IAM::Role');
  expect(role.AssumeRolePolicyDocument.Statement).toMatchObject([{ Principal: { Service: 'firehose.amazonaws.com' } }]);
  expect(role.ManagedPolicyArns).toBeUndefined();
  expect(lake.findResources('AWS::IAM::Policy')).toEqual({});
  const statements = role.Policies.flatMap(({ PolicyDocument }: Policy) => PolicyDocument.Statement);
  const granted = statements.map(({ Action, Resource }: Statement) => [[Action].flat(), [Resource].flat().map(text)]);
  expect(granted).toEqual([
    [
      ['kinesis:DescribeStream', 'kinesis:GetRecords', 'kinesis:GetShardIterator', 'kinesis:ListShards'],
      [expect.stringContaining('Events')],
    ],
    [
      ['glue:GetTable', 'glue:GetTableVersion', 'glue:GetTableVersions'],
      [
        expect.stringMatching(/:catalog"/),
        expect.stringMatching(/:database\/tributary_prod"/),
        expect.stringMatching(/:table\/tributary_prod\/raw_events"/),
      ],
    ],
    [['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'], [expect.not.stringContaining('*')]],
    [
      ['s3:AbortMultipartUpload', 's3:GetObject', 's3:PutObject'],
      [expect.stringMatching(/\/events\/\*"/), expect.stringMatching(/\/errors\/events\/\*"/)],
    ],
    ['logs:PutLogEvents'].map((action) => [action]).concat([[expect.stringContaining(':log-stream:')]]),
  ]);
});

type Statement = { Action: string | string[]; Resource: unknown };
type Policy = { PolicyDocument: { Statement: Statement[] } };

test('each view has a saved query; the queries, sorted by name, create the views in the order of LAKE_VIEWS', () => {
  const queries = all('AWS::Athena::NamedQuery').sort((a, b) => (a.Name < b.Name ? -1 : 1));
  expect(queries.map(({ QueryString }) => /^CREATE OR REPLACE VIEW (\w+) AS\n/.exec(QueryString)?.[1])).toEqual(
    LAKE_VIEWS.map(({ name }) => name),
  );
  for (const { Database, WorkGroup, QueryString } of queries) {
    expect([Database, WorkGroup]).toEqual(['tributary_prod', 'tributary-prod']);
    // Athena accepts at most 256 KB, and does not have DuckDB's functions and casts.
    expect(QueryString.length).toBeLessThan(262_144);
    expect(QueryString).not.toMatch(/epoch_ms|struct_|::|'f\d+':/);
    expect(QueryString).not.toMatch(/AT TIME ZONE(?! 'UTC' AS timestamp\(3\)\))/);
  }
});

test('query results are encrypted and kept for 7 days, and the bytes that a query may read are limited', () => {
  const { WorkGroupConfiguration, Name } = only('AWS::Athena::WorkGroup');
  expect(Name).toBe('tributary-prod');
  expect(WorkGroupConfiguration).toMatchObject({
    EnforceWorkGroupConfiguration: true,
    BytesScannedCutoffPerQuery: 100_000_000_000,
    EngineVersion: { SelectedEngineVersion: 'Athena engine version 3' },
    ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_S3' } },
  });
  expect(only('AWS::S3::Bucket')).toMatchObject({
    LifecycleConfiguration: { Rules: [{ ExpirationInDays: 7, Status: 'Enabled' }, { Status: 'Enabled' }] },
  });
});

test('the lake is deployed before the API, because a new Firehose stream skips records that the API has already written', () => {
  expect(prod.stacks.api.dependencies).toContain(prod.stacks.lake);
});

test('the workgroup in dev is named tributary-dev', () => {
  expect(only('AWS::Athena::WorkGroup', dev.templates.lake).Name).toBe('tributary-dev');
});
