import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from 'vitest';
import { runAsFunction } from '../../../infra/policies/enforcement/running-function.ts';
import { findPresignedUrls } from '../../../infra/policies/presigned-urls.ts';
import { takeDenials } from '../../support/policies/expected-denials.ts';
import { inShort } from '../../support/policies/sent-requests.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const client = new S3Client({
  region: 'eu-central-1',
  credentials,
  endpoint: 'http://127.0.0.1:1',
  forcePathStyle: true,
});

const aLink = (Key: string) => getSignedUrl(client, new GetObjectCommand({ Bucket: 'uploads', Key }));
const aForm = (Key: string) =>
  createPresignedPost(client, { Bucket: 'uploads', Key, Fields: { 'Content-Type': 'a/b' } });
const answering = (body: unknown) => ({ statusCode: 200, body: JSON.stringify(body) });
const demandsIn = (answer: unknown) =>
  findPresignedUrls(answer).flatMap(({ permissions: demands }) => demands.map(inShort));

test('links and forms in an answer demand what they will do', async () => {
  const answer = answering({ data: [{ url: await aLink('a/b c.txt') }, { upload: await aForm('incoming/a') }] });
  expect(demandsIn(answer)).toEqual(['s3:GetObject s3:::uploads/a/b c.txt', 's3:PutObject s3:::uploads/incoming/a']);
});

test.each([undefined, null, 'text', {}, { body: null }, answering({ signature: 'none' })])(
  'an answer without any demands nothing: %o',
  (answer) => expect(findPresignedUrls(answer)).toEqual([]),
);

test('a function fails that hands out more than its own permissions', async () => {
  process.env.UPLOADS_BUCKET = 'uploads';
  const answering200 = async () => answering({ upload: await aForm('incoming/a') });
  expect(await runAsFunction('funnel/upload', answering200)()).toMatchObject({ statusCode: 200 });
  await expect(
    runAsFunction('funnel/submit', async () => answering(await aLink('incoming/a')))(),
  ).resolves.toBeDefined();
  await expect(runAsFunction('training/read-call', answering200)()).rejects.toThrow(
    'signs a link that S3 would refuse',
  );
  expect(takeDenials()).toEqual([expect.stringContaining('training/read-call')]);
});
