import { PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { LakeObjectWriter } from './raw-event-files.ts';

/** Writes to the lake's bucket. */
export const s3LakeObjectWriter = (): LakeObjectWriter => ({
  put: async (key, bytes, contentType) => {
    await s3Client().send(
      new PutObjectCommand({ Bucket: requireSetting('lakeBucket'), Key: key, Body: bytes, ContentType: contentType }),
    );
  },
});
