import { expect, test } from 'vitest';
import { putFile } from '../../../../shared/uploads/aws/s3-file-store.ts';
import { createS3IncomingFileStore } from '../../../../shared/uploads/aws/s3-incoming-files.ts';
import { startHttpServer } from '../../../support/http-server.ts';
import { useS3At } from '../../../support/uploads/use-s3-at.ts';

test('small files and promoted files are stored in the storage class Intelligent-Tiering', async () => {
  const classes: unknown[] = [];
  const store = await startHttpServer((request, response) => {
    classes.push(request.headers['x-amz-storage-class']);
    response.end('<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>');
    request.resume();
  });
  useS3At(store.url);
  await putFile('org/block/a.txt', Buffer.from('a'));
  await createS3IncomingFileStore().promote('org/block/b.txt', '"e"');
  expect(classes).toEqual(['INTELLIGENT_TIERING', 'INTELLIGENT_TIERING']);
  store.close();
});
