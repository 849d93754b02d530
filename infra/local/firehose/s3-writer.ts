import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { LakeObjectWriter } from '../../../shared/analytics/raw-events/ports.ts';
import { s3Client } from '../../../shared/platform/aws/s3-client.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';

export const createS3LakeWriter = (): LakeObjectWriter => ({
  put: async (key, bytes, contentType) => {
    await s3Client().send(
      new PutObjectCommand({ Bucket: requireSetting('lakeBucket'), Key: key, Body: bytes, ContentType: contentType }),
    );
  },
});
