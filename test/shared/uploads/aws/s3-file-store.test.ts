import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { applyEnvironment, CREDENTIALS } from '../../../../infra/local/runtime/environment.ts';
import { putFile } from '../../../../shared/uploads/aws/s3-file-store.ts';
import { createS3IncomingFileStore } from '../../../../shared/uploads/aws/s3-incoming-files.ts';

test('small files and promoted files are stored in the class Intelligent-Tiering', async () => {
  const classes: unknown[] = [];
  const store = createServer((request, response) => {
    classes.push(request.headers['x-amz-storage-class']);
    response.end('<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>');
    request.resume();
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
  applyEnvironment({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
    UPLOADS_BUCKET: 'uploads',
  });
  await putFile('org/block/a.txt', Buffer.from('a'));
  await createS3IncomingFileStore().promote('org/block/b.txt', '"e"');
  expect(classes).toEqual(['INTELLIGENT_TIERING', 'INTELLIGENT_TIERING']);
  store.closeAllConnections();
  store.close();
});
