import { GetObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { UploadSweepPorts } from '../sweep-uploads.ts';
import { incomingPathOf } from '../upload.ts';
import { s3FileRemover } from './s3-file-remover.ts';
import { s3FileWriter } from './s3-file-writer.ts';
import { readObjectHead, undefinedIfMissing } from './s3-objects.ts';

/** Whole files in the uploads bucket. */
export function s3SweptFiles(): UploadSweepPorts['files'] {
  const at = (key: string) => ({ Bucket: requireSetting('uploadsBucket'), Key: key });
  return {
    ...s3FileWriter(),
    ...s3FileRemover(),
    hasIncoming: async (path) => (await readObjectHead(incomingPathOf(path), 1)) !== undefined,
    get: async (path) => {
      const found = await undefinedIfMissing(() => s3Client().send(new GetObjectCommand(at(path))));
      const content = await found?.Body?.transformToByteArray();
      return content && Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    },
  };
}
