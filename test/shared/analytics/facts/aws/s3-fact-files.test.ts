import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startObjectStore } from '../../../../../infra/local/s3/server.ts';
import { createS3FactFileRemover } from '../../../../../shared/analytics/facts/aws/s3-fact-files.ts';
import { FACTS_PREFIX, factObjectKey } from '../../../../../shared/analytics/facts/fact-files.ts';
import type { StoredFactFile } from '../../../../../shared/analytics/facts/ports.ts';
import { s3Client } from '../../../../../shared/platform/aws/s3-client.ts';
import { createS3NoncurrentVersions } from '../../../../../shared/platform/aws/s3-noncurrent-versions.ts';
import { MAY_31 } from '../../../../support/analytics/analytics.ts';
import { FUNNEL, OTHER } from '../../../../support/analytics/compaction.ts';

const root = mkdtempSync(join(tmpdir(), 'swept-'));
afterAll(() => rmSync(root, { recursive: true }));
beforeAll(async () => {
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    // The S3 stand-in accepts only this access key.
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${await startObjectStore(root, 'facts')}`,
    FACTS_BUCKET: 'facts',
  });
});

const remover = createS3FactFileRemover(createS3NoncurrentVersions('factsBucket'));
const put = (Key: string) => s3Client().send(new PutObjectCommand({ Bucket: 'facts', Key, Body: 'x' }));
async function listed(): Promise<StoredFactFile[]> {
  const found: StoredFactFile[] = [];
  for await (const page of remover.list()) found.push(...page);
  return found;
}

test('fact files are listed with the time at which they were stored, and objects with other keys are ignored', async () => {
  const name = `${FUNNEL}/${ulid()}`;
  const foreign = [`facts/${name}.parquet`, `facts/funnel_id=${FUNNEL}/note.txt`, `facts/funnel_id=${OTHER}/x.parquet`];
  for (const key of [factObjectKey({ name }), 'events/elsewhere.parquet', ...foreign]) await put(key);
  const before = Date.now();
  const found = await listed();
  expect(found).toMatchObject([{ name }]);
  expect(Math.abs((found[0]?.storedMs ?? 0) - before)).toBeLessThan(60_000);
});

test('remove deletes one fact file, and does not fail if the file is already deleted', async () => {
  const names = Array.from({ length: 3 }, () => `${OTHER}/${ulid()}`);
  for (const name of names) await put(factObjectKey({ name }));
  const [gone = '', ...others] = names;
  for (const purgeVersions of [false, true, true, false]) await remover.remove(gone, purgeVersions);
  const left = (await listed()).map(({ name }) => name).filter((name) => name.startsWith(OTHER));
  expect(left).toEqual(others.sort());
});

describe('S3 fact files', () => {
  let calls: object[] = [];
  const LastModified = new Date(MAY_31);
  const name = `${FUNNEL}/01JW0000000000000000000000`;
  const Key = factObjectKey({ name });

  beforeAll(() => {
    s3Client().middlewareStack.add(
      (_, { commandName }) =>
        async ({ input }) => {
          calls.push({ call: commandName, ...input });
          const rest =
            'ContinuationToken' in input && input.ContinuationToken
              ? {}
              : { IsTruncated: true, NextContinuationToken: 'page 2' };
          const responses = {
            // The file was deleted twice, so it has one version and two delete markers.
            ListObjectVersionsCommand: {
              Versions: [{ Key, VersionId: 'v1', IsLatest: false }],
              DeleteMarkers: [
                { Key, VersionId: 'd2', IsLatest: true },
                { Key, VersionId: 'd1', IsLatest: false },
              ],
            },
            ListObjectsV2Command: { Contents: [{ Key, LastModified }], ...rest },
          };
          const output = { $metadata: {}, ...responses[commandName as keyof typeof responses] };
          return { output: output as never, response: undefined };
        },
      { step: 'initialize', priority: 'high' },
    );
  });
  beforeEach(() => {
    calls = [];
  });

  test('are listed from all pages', async () => {
    const file = { name, storedMs: MAY_31 };
    expect(await listed()).toEqual([file, file]);
    expect(calls).toMatchObject([{ Prefix: FACTS_PREFIX }, { Prefix: FACTS_PREFIX, ContinuationToken: 'page 2' }]);
  });

  test('get a delete marker and keep their versions if they are deleted without a purge', async () => {
    await remover.remove(name, false);
    expect(calls).toEqual([{ call: 'DeleteObjectCommand', Bucket: 'facts', Key }]);
  });

  test('keep no version if they are deleted with a purge', async () => {
    await remover.remove(name, true);
    expect(calls).toEqual([
      { call: 'DeleteObjectCommand', Bucket: 'facts', Key },
      { call: 'ListObjectVersionsCommand', Bucket: 'facts', Prefix: Key },
      { call: 'DeleteObjectCommand', Bucket: 'facts', Key, VersionId: 'v1' },
    ]);
  });
});
