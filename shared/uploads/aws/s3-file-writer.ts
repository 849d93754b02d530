import { PutObjectCommand } from '@aws-sdk/client-s3';
import { available } from '../../http/available.ts';
import { config } from '../../platform/config.ts';
import { s3 } from '../../platform/s3.ts';
import type { UploadFilePorts } from '../upload-file.ts';

/** What a browser does with it: nothing but saving it. */
export const OPAQUE_TYPE = 'application/octet-stream';

/** Writes files to the uploads bucket. @throws Problem 503 while it is not available */
export function s3FileWriter(): UploadFilePorts['files'] {
  return {
    put: async (path, content) => {
      const Bucket = config('uploadsBucket');
      const put = new PutObjectCommand({ Bucket, Key: path, Body: content, ContentType: OPAQUE_TYPE });
      await available('Files cannot be stored. Try again shortly.', () => s3().send(put));
    },
  };
}
