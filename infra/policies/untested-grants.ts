import type { Exceptions } from './grant-usage.ts';

const BY_LAMBDA = 'Lambda itself acts with the role';

/** Reviewed: permissions that nothing on this machine can use, each with its reason. */
export const UNTESTED_GRANTS: Exceptions = {
  'logs:CreateLogStream': `${BY_LAMBDA}: it writes what the function prints.`,
  'logs:PutLogEvents': `${BY_LAMBDA}: it writes what the function prints.`,
  'xray:PutTelemetryRecords': `${BY_LAMBDA}: its daemon sends the traces.`,
  'xray:PutTraceSegments': `${BY_LAMBDA}: its daemon sends the traces.`,
  'sqs:SendMessage': `${BY_LAMBDA}: it keeps the events whose runs failed.`,
  'kinesis:DescribeStream': `${BY_LAMBDA}: its event source reads the stream.`,
  'kinesis:DescribeStreamSummary': `${BY_LAMBDA}: its event source reads the stream.`,
  'kinesis:GetRecords': `${BY_LAMBDA}: its event source reads the stream.`,
  'kinesis:GetShardIterator': `${BY_LAMBDA}: its event source reads the stream.`,
  's3:DeleteObjectVersion': 'The stand-in of S3 keeps no old versions (infra/local/s3/version-list.ts).',
  'kinesis:ListShards': `${BY_LAMBDA}: its event source reads the stream.`,
};
