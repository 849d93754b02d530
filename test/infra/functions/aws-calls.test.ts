import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bundleFunction } from '../../../infra/bundles/bundle.ts';
import { readReport } from '../../../infra/bundles/bundle-report.ts';
import { grantPermissions } from '../../../infra/functions/grants.ts';
import { deployedFunctions } from '../../support/stacks.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

mkdirSync(join(ROOT, 'dist'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'dist', 'test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Calls in an adapter that the function carries but has no use for. A new one here is a decision: use it, or grant it. */
const NEVER_MADE: Record<string, readonly string[]> = {
  'background/aggregate-events': ['dynamodb:BatchWriteItem'],
  // Only the positions of leads are needed.
  'background/enforce-retention': ['dynamodb:BatchGetItem', 's3:ListObjectsV2'],
  // Allowed under the name of ListBucket.
  'background/erase-late': ['s3:ListObjectsV2'],
  // The edge's adapter is whole; only the sweeper sets hostnames up.
  'background/remove-domain': ['cloudfront:CreateDistributionTenant'],
  'background/sweep-copies': ['s3:ListObjectsV2'],
  'background/sweep-facts': ['s3:ListObjectsV2'],
};

/**
 * Not calls of ours: the event source's, the secrets extension's, what CloudFront does in our name, and what lets S3 say
 * that an object is missing. Or named after what a call is given: a version to delete.
 */
const MADE_OUTSIDE =
  /^(kinesis:(Describe|Get|List)|secretsmanager:|acm:(Request|Describe)Certificate$|cloudfront:TagResource$|s3:(ListBucket|DeleteObjectVersion)$)/;

/** What the SDK's clients and paginators bring along, used or not; one that is loaded by `import()` brings all it has. */
const COMES_ALONG = /^(dynamodb:(DescribeEndpoints|Query|Scan)|s3:CreateSession|bedrock-runtime:\w+)$/;

/** Permissions that are named after another call than the one that needs them. */
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

/** Calls that are made without a client of the SDK's, by what makes them. */
const PLAIN: Record<string, string> = { 'shared/platform/aws/invoke-lambda.ts': 'lambda:InvokeFunction' };

/** The actions of the AWS calls that a bundle holds. */
async function callsIn(id: string): Promise<string[]> {
  await bundleFunction(id, join(ROOT, 'functions', id, 'handler.ts'), join(folder, id));
  const inputs = Object.values(readReport(join(folder, id))).flatMap((file) => Object.keys(file.inputs));
  return inputs.flatMap((path) => {
    const [, service, command] = COMMAND.exec(path) ?? [];
    const call = command === undefined ? PLAIN[path] : `${service}:${command}`;
    return call === undefined ? [] : [NAMED_OTHERWISE[call] ?? call].flat();
  });
}

describe.each(deployedFunctions)('$id', ({ id, grants }) => {
  const granted = [...grantPermissions(grants).values()].flatMap((actions) => [...actions]);

  test('may make every AWS call that it makes, and no other', async () => {
    const passedOver = new Set(NEVER_MADE[id]);
    const made = (await callsIn(id)).filter((call) => !COMES_ALONG.test(call) && !passedOver.has(call));
    const needed = granted.filter((action) => !COMES_ALONG.test(action) && !MADE_OUTSIDE.test(action));
    expect([...new Set(made)].sort()).toEqual([...new Set(needed)].sort());
    // A bundle is made in a second, where nothing else runs.
  }, 120_000);
});
