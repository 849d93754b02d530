import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kinesalite from 'kinesalite';
import { afterAll, beforeAll } from 'vitest';
import { ensureStream } from '../../../infra/local/runtime/resource-creation.ts';
import { startObjectStore } from '../../../infra/local/s3/server.ts';
import { kinesisClient } from '../../../shared/platform/aws/kinesis-client.ts';
import { useDynamo } from '../dynamo.ts';

const BUCKET = 'analytics';
const STREAM = 'events';

/** Starts stand-ins of DynamoDB, S3 and Kinesis for the tests of a file, and configures the adapters. */
export function useAnalyticsStores() {
  useDynamo();
  const root = mkdtempSync(join(tmpdir(), 'analytics-stores-'));
  const stream = kinesalite({ createStreamMs: 0 });
  beforeAll(async () => {
    stream.listen(0, '127.0.0.1');
    await once(stream, 'listening');
    const port = await startObjectStore(join(root, 'objects'), BUCKET);
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_ENDPOINT_URL_KINESIS: `http://127.0.0.1:${(stream.address() as AddressInfo).port}`,
      // The S3 stand-in accepts only this access key.
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      FACTS_BUCKET: BUCKET,
      LAKE_BUCKET: BUCKET,
      DEAD_LETTERS_BUCKET: BUCKET,
      EVENT_STREAM: STREAM,
    });
    await ensureStream(kinesisClient(), { StreamName: STREAM, ShardCount: 1 });
  });
  afterAll(() => {
    stream.close();
    rmSync(root, { recursive: true });
  });
  return { root, stream: STREAM };
}
