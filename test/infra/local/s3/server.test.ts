import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { applyEnvironment, CREDENTIALS } from '../../../../infra/local/runtime/environment.ts';
import { respondAfterWriting, startObjectStore } from '../../../../infra/local/s3/server.ts';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { createS3NoncurrentVersions } from '../../../../shared/platform/aws/s3-noncurrent-versions.ts';
import { createS3IncomingFileStore } from '../../../../shared/uploads/aws/s3-incoming-files.ts';
import { incomingPathOf } from '../../../../shared/uploads/upload.ts';

test('an object is complete on disk before its PUT is acknowledged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-objects-'));
  const file = join(folder, 'object');
  const store = {
    getResourcePath: () => file,
    // s3rver responds before the file exists, or while the file is being written.
    putObject: async (_object: { bucket: string; key: string }) => {
      void delay(30)
        .then(() => writeFile(file, 'first half, '))
        .then(() => delay(30))
        .then(() => appendFile(file, 'second half'));
      return { size: 'first half, second half'.length, md5: '' };
    },
  };
  respondAfterWriting(store);
  const { size } = await store.putObject({ bucket: 'bucket', key: 'object' });
  expect(statSync(file).size).toBe(size);
  await rm(folder, { recursive: true });
});

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-objects-'));
  const port = await startObjectStore(folder, 'uploads');
  applyEnvironment({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    UPLOADS_BUCKET: 'uploads',
    FACTS_BUCKET: 'uploads',
  });
  return () => rm(folder, { recursive: true });
});

const put = (key: string, content: string, client = s3Client()) =>
  client.send(new PutObjectCommand({ Bucket: 'uploads', Key: key, Body: content, ContentType: 'text/html' }));

async function get(key: string) {
  const found = await s3Client().send(new GetObjectCommand({ Bucket: 'uploads', Key: key }));
  return { content: await found.Body?.transformToString(), type: found.ContentType };
}

test('many new objects are stored concurrently without retries', async () => {
  const once = new S3Client({ maxAttempts: 1, forcePathStyle: true });
  const keys = Array.from({ length: 50 }, (_, at) => `at-once/${at}/${randomUUID()}.txt`);
  await Promise.all(keys.map((key) => put(key, `content of ${key}`, once)));
  const stored = await Promise.all(keys.map(get));
  expect(stored.map(({ content }) => content)).toEqual(keys.map((key) => `content of ${key}`));
});

test('the stand-in accepts a request to remove noncurrent versions, but removes nothing', async () => {
  await put('versions/a.txt', 'what stands');
  expect(await createS3NoncurrentVersions('factsBucket').remove('versions/')).toBe(0);
  expect((await get('versions/a.txt')).content).toBe('what stands');
});

describe('a conditional copy', () => {
  async function aSent(content: string) {
    const path = `org/block/${randomUUID()}.txt`;
    await put(incomingPathOf(path), content);
    const { etag = '' } = (await createS3IncomingFileStore().head(path, 4)) ?? {};
    return { path, etag };
  }

  test('copies the bytes as application/octet-stream, even if several copies run concurrently', async () => {
    const { path, etag } = await aSent('what was sent');
    expect(await createS3IncomingFileStore().head(path, 4)).toEqual({ size: 13, head: Buffer.from('what'), etag });
    expect(await Promise.all([1, 2, 3].map(() => createS3IncomingFileStore().promote(path, etag)))).toEqual([
      true,
      true,
      true,
    ]);
    expect(await get(path)).toEqual({ content: 'what was sent', type: 'application/octet-stream' });
  });

  test('412: never replaces an existing object', async () => {
    const { path, etag } = await aSent('what was sent');
    await put(path, 'clean content');
    expect(await createS3IncomingFileStore().promote(path, etag)).toBe(true);
    expect((await get(path)).content).toBe('clean content');
  });

  test('412 and 404: does not copy a source that has changed or is missing', async () => {
    const { path, etag } = await aSent('what was sent');
    await put(incomingPathOf(path), 'something else');
    expect(await createS3IncomingFileStore().promote(path, etag)).toBe(false);
    expect(await createS3IncomingFileStore().promote('org/block/none.txt', etag)).toBe(false);
    await expect(get(path)).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect(await createS3IncomingFileStore().head('org/block/none.txt', 4)).toBeUndefined();
  });
});
