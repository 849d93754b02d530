import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startObjectStore } from '../../../../../infra/local/s3/server.ts';
import { createS3DeadLetterStore } from '../../../../../shared/analytics/ingest/aws/s3-dead-letters.ts';
import { DEAD_LETTER_PREFIX } from '../../../../../shared/analytics/ingest/dead-letters.ts';
import { s3Client } from '../../../../../shared/platform/aws/s3-client.ts';
import { aRecord } from '../../../../support/analytics/events.ts';

const Bucket = 'set-aside';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'set-aside-'));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${await startObjectStore(folder, Bucket)}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    DEAD_LETTERS_BUCKET: Bucket,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a dead letter is stored with its bytes, origin and reason, and is replaced if it is stored again', async () => {
  const record = aRecord(Buffer.from([0, 255, 10, 13]), 7);
  await createS3DeadLetterStore().put(record, 'line 1: expected object, received undefined.');
  await createS3DeadLetterStore().put(record, 'line 1: is required.');
  const Key = `${DEAD_LETTER_PREFIX}${record.shard}/${record.sequenceNumber}.json`;
  const { Body } = await s3Client().send(new GetObjectCommand({ Bucket, Key }));
  expect(JSON.parse((await Body?.transformToString()) ?? '')).toEqual({
    reason: 'line 1: is required.',
    shard: record.shard,
    sequenceNumber: record.sequenceNumber,
    data: 'AP8KDQ==',
  });
});
