import { expect, test } from 'vitest';
import { createS3IncomingFileStore } from '../../../../shared/uploads/aws/s3-incoming-files.ts';
import { startHttpServer } from '../../../support/http-server.ts';
import { useS3At } from '../../../support/uploads/use-s3-at.ts';

test('if S3 does not respond, a head and a promote send at most three requests in total, and throw UnavailableError', async () => {
  let calls = 0;
  const silent = await startHttpServer(() => calls++);
  useS3At(silent.url);
  const unavailable = { name: 'UnavailableError', retryAfterSeconds: 1 };
  await Promise.all([
    expect(createS3IncomingFileStore().head('org/block/a.txt', 4)).rejects.toMatchObject(unavailable),
    expect(createS3IncomingFileStore().promote('org/block/a.txt', '"etag"')).rejects.toMatchObject(unavailable),
  ]);
  // Without a time limit, each method would make three attempts of five seconds. A submit must be faster.
  expect(calls).toBeLessThanOrEqual(3);
  silent.close();
}, 30_000);
