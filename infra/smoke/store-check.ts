import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../shared/platform/aws/s3-client.ts';
import { requireSetting } from '../../shared/platform/settings.ts';
import { readObjectHead } from '../../shared/uploads/aws/s3-file-store.ts';
import { createS3IncomingFileStore } from '../../shared/uploads/aws/s3-incoming-files.ts';
import { incomingPathOf } from '../../shared/uploads/upload.ts';
import type { Check } from './check.ts';

// Both contents have the same size. If the sizes differ, the S3 stand-in assumes an interrupted copy, and replaces the
// file even with `If-None-Match`.
const [STORED, SENT_LATER] = ['stored first', 'sent a while'];

/** Promoting an upload needs copies with `If-None-Match`, which not every S3-compatible store supports. */
export const storeCheck: Check = {
  name: 'the file store does not replace an existing file with a copy',
  advice:
    'If the copy replaced the file, the store ignores If-None-Match of CopyObject. ' +
    'A file that was not inspected can then replace an inspected file. ' +
    'Do not accept large files with this store: set maxBytes of upload blocks to at most 4194304.',
  run: async () => {
    const path = `smoke/${randomUUID()}.txt`;
    try {
      await put(incomingPathOf(path), SENT_LATER);
      await put(path, STORED);
      const sent = await createS3IncomingFileStore().head(path, 1);
      if (sent === undefined) throw new Error(`The object ${incomingPathOf(path)} was written, but cannot be read.`);
      await createS3IncomingFileStore().promote(path, sent.etag);
      const found = await readObjectHead(path, STORED.length);
      if (found === undefined) throw new Error(`The file ${path} was written, but cannot be read.`);
      if (found.head.toString() !== STORED) throw new Error(`The copy replaced the file ${path}.`);
    } finally {
      await Promise.all([remove(incomingPathOf(path)), remove(path)]);
    }
  },
};

async function put(Key: string, Body: string): Promise<void> {
  await s3Client().send(new PutObjectCommand({ Bucket: requireSetting('uploadsBucket'), Key, Body }));
}

async function remove(Key: string): Promise<void> {
  await s3Client().send(new DeleteObjectCommand({ Bucket: requireSetting('uploadsBucket'), Key }));
}
