import type { UntestedGrants } from './grant-usage.ts';

/** Actions that no test can use, with the reason. Each entry was reviewed. */
export const UNTESTED_GRANTS: UntestedGrants = {
  'logs:CreateLogStream': 'The Lambda service uses it to write what the function prints.',
  'logs:PutLogEvents': 'The Lambda service uses it to write what the function prints.',
  'xray:PutTelemetryRecords': "Lambda's X-Ray daemon uses it to send traces.",
  'xray:PutTraceSegments': "Lambda's X-Ray daemon uses it to send traces.",
  'sqs:SendMessage': 'The Lambda service uses it to store events whose invocations failed.',
  'kinesis:DescribeStream': "Lambda's event source mapping uses it to read the stream.",
  'kinesis:DescribeStreamSummary': "Lambda's event source mapping uses it to read the stream.",
  'kinesis:GetRecords': "Lambda's event source mapping uses it to read the stream.",
  'kinesis:GetShardIterator': "Lambda's event source mapping uses it to read the stream.",
  'kinesis:ListShards': "Lambda's event source mapping uses it to read the stream.",
  's3:DeleteObjectVersion': 'The S3 stand-in keeps no old versions (infra/local/s3/server.ts).',
};
