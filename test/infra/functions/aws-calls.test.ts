import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readReport } from '../../../infra/bundles/bundle-report.ts';
import { grantPermissions } from '../../../infra/functions/grants.ts';
import { ensureBundles } from '../../support/bundles.ts';
import { deployedFunctions } from '../../support/stacks.ts';

const DIST = join(import.meta.dirname, '..', '..', '..', 'dist');

// A build takes about 12 s on an idle machine, but much longer while other tests run.
beforeAll(ensureBundles, 120_000);

/**
 * Calls in bundles that the test ignores:
 * - Calls that the function never makes, because it uses only a part of an adapter.
 * - `ListObjectsV2`. The test also ignores its permission `ListBucket` (see `MADE_OUTSIDE`).
 *
 * Before you add a call, check that no grant is missing.
 */
const IGNORED_CALLS: Record<string, readonly string[]> = {
  'background/aggregate-events': ['dynamodb:BatchWriteItem'],
  // The function reads only the index entries of leads, so it does not get leads with BatchGetItem.
  'background/enforce-retention': ['dynamodb:BatchGetItem', 's3:ListObjectsV2'],
  'background/erase-late': ['s3:ListObjectsV2'],
  // The bundle contains the whole adapter of the edge, but only `sweep-domains` creates tenants.
  'background/remove-domain': ['cloudfront:CreateDistributionTenant'],
  'background/sweep-copies': ['s3:ListObjectsV2'],
  'background/sweep-facts': ['s3:ListObjectsV2'],
};

/**
 * Permissions that the test ignores. The event source mapping, the secrets extension and CloudFront use some of them.
 * S3 checks the others before it responds 404 or deletes a version of an object.
 */
const MADE_OUTSIDE = new RegExp(
  [
    /^kinesis:(Describe|Get|List)/,
    /^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)$/,
    /^secretsmanager:/,
    /^acm:(Request|Describe)Certificate$/,
    /^cloudfront:TagResource$/,
    /^s3:(ListBucket|DeleteObjectVersion)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/**
 * Calls that every SDK client or paginator contains, even if the function doesn't make them. A client that is loaded by
 * `import()`, such as Bedrock's, contains all of its calls.
 */
const COMES_ALONG = /^(dynamodb:(DescribeEndpoints|Query|Scan)|s3:CreateSession|bedrock-runtime:\w+)$/;

/** Calls that require permissions with other names. */
const NAMED_OTHERWISE: Record<string, string | readonly string[]> = {
  'bedrock-runtime:ConverseStream': 'bedrock:InvokeModelWithResponseStream',
  'pinpoint-sms-voice-v2:SendTextMessage': 'sms-voice:SendTextMessage',
  's3:CopyObject': ['s3:GetObject', 's3:PutObject'],
  's3:HeadObject': 's3:GetObject',
  's3:ListObjectVersions': 's3:ListBucketVersions',
  'sesv2:SendEmail': 'ses:SendEmail',
};

const COMMAND =
  /@aws-sdk\/client-(acm|bedrock-runtime|cloudfront|dynamodb|kinesis|pinpoint-sms-voice-v2|s3|sesv2)\/dist-es\/commands\/(\w+)Command\.js$/;

/** Calls without an SDK client, by the module that makes them. */
const PLAIN: Record<string, string> = { 'shared/platform/aws/invoke-lambda.ts': 'lambda:InvokeFunction' };

/** Returns the permissions that the AWS calls in a function's bundle require. */
function callsIn(id: string): string[] {
  const inputs = Object.values(readReport(join(DIST, id))).flatMap((file) => Object.keys(file.inputs));
  return inputs.flatMap((path) => {
    const [, service, command] = COMMAND.exec(path) ?? [];
    const call = command === undefined ? PLAIN[path] : `${service}:${command}`;
    return call === undefined ? [] : [NAMED_OTHERWISE[call] ?? call].flat();
  });
}

describe.each(deployedFunctions)('the function $id', ({ id, grants }) => {
  const granted = [...grantPermissions(grants).values()].flatMap((actions) => [...actions]);

  test('has exactly the permissions that the AWS calls in its bundle need, apart from the exceptions in this file', () => {
    const passedOver = new Set(IGNORED_CALLS[id]);
    const made = callsIn(id).filter((call) => !COMES_ALONG.test(call) && !passedOver.has(call));
    const needed = granted.filter((action) => !COMES_ALONG.test(action) && !MADE_OUTSIDE.test(action));
    expect([...new Set(made)].sort()).toEqual([...new Set(needed)].sort());
  });
});
