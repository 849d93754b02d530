import { randomUUID } from 'node:crypto';
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { createS3CallObjectStore } from '../../../../shared/training/aws/s3-call-object-store.ts';
import { deleteCallObjects } from '../../../../shared/training/erase-call.ts';
import { BUCKET, useTrainingBucket } from '../../../support/training/training-bucket.ts';

useTrainingBucket();

const put = (Key: string) => s3Client().send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'content' }));
const keysWith = async (Prefix: string) =>
  ((await s3Client().send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix }))).Contents ?? []).map(({ Key }) => Key);

test('deleteCallObjects deletes the objects of the call `a`, but not the objects of the call `ab`', async () => {
  const orgId = randomUUID();
  const own = ['transcripts/ORG/a/1.json.gz', 'transcripts/ORG/a/2.json.gz', 'recordings/ORG/a.mp3'];
  const others = ['transcripts/ORG/ab/1.json.gz', 'recordings/ORG/ab.mp3'];
  for (const key of [...own, ...others]) await put(key.replace('ORG', orgId));
  expect(await createS3CallObjectStore().count(`transcripts/${orgId}/a/`)).toBe(2);
  expect(await deleteCallObjects(createS3CallObjectStore(), { orgId, callId: 'a' })).toEqual({
    transcripts: 2,
    recordings: 1,
  });
  expect(await deleteCallObjects(createS3CallObjectStore(), { orgId, callId: 'a' })).toEqual({
    transcripts: 0,
    recordings: 0,
  });
  const remaining = [...(await keysWith(`transcripts/${orgId}/`)), ...(await keysWith(`recordings/${orgId}/`))];
  expect(remaining).toEqual(others.map((key) => key.replace('ORG', orgId)));
});
