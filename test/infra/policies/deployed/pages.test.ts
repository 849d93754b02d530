import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { BUCKETS, tableName } from '../../../../infra/local/runtime/environment.ts';
import { createDynamoPageWriter } from '../../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import { ASSETS_PREFIX } from '../../../../shared/landing-pages/landing-page.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';
import { aBlock } from '../../../support/landing-pages/pages.ts';

const functions = useDeployedFunctions('landing-pages/copy', 'background/sweep-copies');

const keysBelow = async (Prefix: string) =>
  ((await s3Client().send(new ListObjectsV2Command({ Bucket: BUCKETS.uploads, Prefix }))).Contents ?? []).map(
    ({ Key }) => Key,
  );

test('copy does not respond 5xx if a file of the page is missing', async () => {
  const { landingPageId, organizations, tokens } = functions.demo();
  const [lost] = await keysBelow(`${ASSETS_PREFIX}${organizations.a.id}/`);
  await s3Client().send(new DeleteObjectCommand({ Bucket: BUCKETS.uploads, Key: lost }));
  const copied = await functions.call('landing-pages/copy', {
    path: { orgId: organizations.a.id, pageId: landingPageId },
    headers: { ...functions.bearer(tokens.adminAB), 'idempotency-key': randomUUID() },
    body: { targetOrganizationId: organizations.b.id, copyAssets: true },
  });
  expect(copied.status).toBeLessThan(500);
});

test('sweep-copies removes blocks and files of a page copy that was never committed', async () => {
  const [orgId, pageId] = [functions.demo().organizations.b.id, randomUUID()];
  const attempt = { orgId, pageId };
  const Key = `${ASSETS_PREFIX}${orgId}/${pageId}/a.png`;
  const writes = createDynamoPageWriter();
  await writes.putIntent(attempt, Date.now());
  await writes.putParts(pageId, { blocks: [aBlock({}, 0)], assets: [] });
  await s3Client().send(new PutObjectCommand({ Bucket: BUCKETS.uploads, Key, Body: 'a' }));
  functions.later(60_000);
  await functions.run('background/sweep-copies');
  expect(await keysBelow(`${ASSETS_PREFIX}${orgId}/${pageId}/`)).toEqual([]);
  const query = {
    TableName: tableName('directory'),
    KeyConditionExpression: 'pk = :page',
    ExpressionAttributeValues: { ':page': `page#${pageId}` },
  };
  expect((await dynamoDocumentClient().send(new QueryCommand(query))).Items).toEqual([]);
});
