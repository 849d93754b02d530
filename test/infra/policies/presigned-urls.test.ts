import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from 'vitest';
import { runAsFunction } from '../../../infra/policies/enforcement/running-function.ts';
import { findPresignedUrls } from '../../../infra/policies/presigned-urls.ts';
import { takeDenials } from '../../support/policies/expected-denials.ts';
import { formatPermission } from '../../support/policies/sent-requests.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const client = new S3Client({
  region: 'eu-central-1',
  credentials,
  endpoint: 'http://127.0.0.1:1',
  forcePathStyle: true,
});

const aPresignedUrl = (Key: string) => getSignedUrl(client, new GetObjectCommand({ Bucket: 'uploads', Key }));
const aPresignedForm = (Key: string) =>
  createPresignedPost(client, { Bucket: 'uploads', Key, Fields: { 'Content-Type': 'a/b' } });
const aResponse = (body: unknown) => ({ statusCode: 200, body: JSON.stringify(body) });
const permissionsIn = (response: unknown) =>
  findPresignedUrls(response).flatMap(({ permissions }) => permissions.map(formatPermission));

test('findPresignedUrls returns the permissions for the presigned URLs and forms in a response', async () => {
  const response = aResponse({
    data: [{ url: await aPresignedUrl('a/b c.txt') }, { upload: await aPresignedForm('incoming/a') }],
  });
  expect(permissionsIn(response)).toEqual([
    's3:GetObject s3:::uploads/a/b c.txt',
    's3:PutObject s3:::uploads/incoming/a',
  ]);
});

test.each([undefined, null, 'text', {}, { body: null }, aResponse({ signature: 'none' })])(
  'no permission is found in a response without a signature: %o',
  (response) => expect(findPresignedUrls(response)).toEqual([]),
);

test('an invocation fails if the function presigns a URL that its role does not allow', async () => {
  process.env.UPLOADS_BUCKET = 'uploads';
  const respondWithForm = async () => aResponse({ upload: await aPresignedForm('incoming/a') });
  expect(await runAsFunction('funnel/upload', respondWithForm)()).toMatchObject({ statusCode: 200 });
  await expect(
    runAsFunction('funnel/submit', async () => aResponse(await aPresignedUrl('incoming/a')))(),
  ).resolves.toBeDefined();
  await expect(runAsFunction('training/read-call', respondWithForm)()).rejects.toThrow(
    'presigns a URL that S3 would reject',
  );
  expect(takeDenials()).toEqual([expect.stringContaining('training/read-call')]);
});
