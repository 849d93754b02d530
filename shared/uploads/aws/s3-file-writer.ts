import { PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { UploadFilePorts } from '../upload-file.ts';

/** What a browser does with it: nothing but saving it. */
export const OPAQUE_TYPE = 'application/octet-stream';

/** Writes files to the uploads bucket. @throws Problem 503 while it is not available */
export function s3FileWriter(): UploadFilePorts['files'] {
  return {
    put: async (path, content) => {
      const Bucket = requireSetting('uploadsBucket');
      const put = new PutObjectCommand({ Bucket, Key: path, Body: content, ContentType: OPAQUE_TYPE });
      await rethrowAsUnavailable('Files cannot be stored. Try again shortly.', () => s3Client().send(put));
    },
  };
}
