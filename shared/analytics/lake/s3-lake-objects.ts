import { PutObjectCommand } from '@aws-sdk/client-s3';
import { config } from '../../platform/config.ts';
import { s3 } from '../../platform/s3.ts';
import type { LakeObjectWriter } from './raw-event-files.ts';

/** Writes to the lake's bucket. */
export const s3LakeObjectWriter = (): LakeObjectWriter => ({
  put: async (key, bytes, contentType) => {
    await s3().send(
      new PutObjectCommand({ Bucket: config('lakeBucket'), Key: key, Body: bytes, ContentType: contentType }),
    );
  },
});
