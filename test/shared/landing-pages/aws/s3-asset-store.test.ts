import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { putAsset } from '../../../../infra/cli/pages/s3-asset-writer.ts';
import { applyEnvironment, CREDENTIALS } from '../../../../infra/local/runtime/environment.ts';
import { startObjectStore } from '../../../../infra/local/s3/server.ts';
import { createAwsPageDeleter } from '../../../../shared/landing-pages/aws/aws-page-deleter.ts';
import { createS3AssetStore } from '../../../../shared/landing-pages/aws/s3-asset-store.ts';
import { ASSETS_PREFIX } from '../../../../shared/landing-pages/landing-page.ts';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-assets-'));
  applyEnvironment({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${await startObjectStore(folder, 'uploads')}`,
    UPLOADS_BUCKET: 'uploads',
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const aKey = (orgId = randomUUID(), pageId = randomUUID()) => `${orgId}/${pageId}/${randomUUID()}.png`;

test('copy copies the file of an asset with its content type, and returns missing if the asset has no file', async () => {
  const [from, to] = [aKey(), aKey()];
  await putAsset(from, Buffer.from('a roof'), 'image/png');
  expect(await createS3AssetStore().copy(from, to)).toBe('copied');
  const { Body, ContentType } = await s3Client().send(
    new GetObjectCommand({ Bucket: 'uploads', Key: `${ASSETS_PREFIX}${to}` }),
  );
  expect([await Body?.transformToString(), ContentType]).toEqual(['a roof', 'image/png']);
  expect(await createS3AssetStore().copy(aKey(), aKey())).toBe('missing');
});

test('deletePageAssets deletes only the assets of the given page, except the assets to keep', async () => {
  const [orgId, pageId] = [randomUUID(), randomUUID()];
  const kept = aKey(orgId);
  for (const key of [kept, ...Array.from({ length: 30 }, () => aKey(orgId, pageId))]) {
    await putAsset(key, Buffer.from('a roof'), 'image/png');
  }
  const listKeys = async () => {
    const { Contents = [] } = await s3Client().send(
      new ListObjectsV2Command({ Bucket: 'uploads', Prefix: `${ASSETS_PREFIX}${orgId}/` }),
    );
    return Contents.map(({ Key = '' }) => Key.slice(ASSETS_PREFIX.length));
  };
  const referenced = (await listKeys()).find((key) => key !== kept) ?? '';
  await createAwsPageDeleter().deletePageAssets({ orgId, pageId }, new Set([referenced]));
  expect(await listKeys()).toEqual([kept, referenced].sort());
  for (const _ of ['first', 'again']) await createAwsPageDeleter().deleteAsset(referenced);
  await createAwsPageDeleter().deletePageAssets({ orgId, pageId }, new Set());
  expect(await listKeys()).toEqual([kept]);
});
