import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { applyEnvironment, CREDENTIALS } from '../../../../infra/local/runtime/environment.ts';
import { createS3IncomingFileStore } from '../../../../shared/uploads/aws/s3-incoming-files.ts';

test('head and promote throw UnavailableError after at most three requests in total if S3 does not respond', async () => {
  let calls = 0;
  const silent = createServer(() => calls++).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  applyEnvironment({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    UPLOADS_BUCKET: 'uploads',
  });
  const unavailable = { name: 'UnavailableError', retryAfterSeconds: 1 };
  await Promise.all([
    expect(createS3IncomingFileStore().head('org/block/a.txt', 4)).rejects.toMatchObject(unavailable),
    expect(createS3IncomingFileStore().promote('org/block/a.txt', '"etag"')).rejects.toMatchObject(unavailable),
  ]);
  // Three attempts of five seconds each would exceed the timeout of the function.
  expect(calls).toBeLessThanOrEqual(3);
  silent.closeAllConnections();
  silent.close();
}, 30_000);
