import { DeleteObjectCommand, GetObjectCommand } from '@aws-sdk/client-s3';
import { config } from '../platform/config.ts';
import { s3 } from '../platform/s3.ts';
import { orAbsent, s3FileHead } from './s3-file-head.ts';
import { s3FileWriter } from './s3-file-writer.ts';
import type { SweepPorts } from './sweep-uploads.ts';

/** Whole files in the uploads bucket. */
export function s3SweptFiles(): SweepPorts['files'] {
  const at = (path: string) => ({ Bucket: config('uploadsBucket'), Key: path });
  return {
    ...s3FileWriter(),
    ...s3FileHead(),
    get: async (path) => {
      const found = await orAbsent(() => s3().send(new GetObjectCommand(at(path))));
      const content = await found?.Body?.transformToByteArray();
      return (
        content && {
          content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
          etag: found?.ETag ?? '',
        }
      );
    },
    remove: async (path) => void (await s3().send(new DeleteObjectCommand(at(path)))),
  };
}
