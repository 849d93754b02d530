import { GetObjectCommand } from '@aws-sdk/client-s3';
import { config } from '../platform/config.ts';
import { s3 } from '../platform/s3.ts';
import { s3FileRemover } from './s3-file-remover.ts';
import { s3FileWriter } from './s3-file-writer.ts';
import { headOf, orAbsent } from './s3-objects.ts';
import type { SweepPorts } from './sweep-uploads.ts';
import { incomingPathOf } from './upload.ts';

/** Whole files in the uploads bucket. */
export function s3SweptFiles(): SweepPorts['files'] {
  const at = (key: string) => ({ Bucket: config('uploadsBucket'), Key: key });
  return {
    ...s3FileWriter(),
    ...s3FileRemover(),
    isSent: async (path) => (await headOf(incomingPathOf(path), 1)) !== undefined,
    get: async (path) => {
      const found = await orAbsent(() => s3().send(new GetObjectCommand(at(path))));
      const content = await found?.Body?.transformToByteArray();
      return content && Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    },
  };
}
