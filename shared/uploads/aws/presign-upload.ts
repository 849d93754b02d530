import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { PresignUpload } from '../ports.ts';
import { DIRECT_UPLOAD_TTL_SECONDS, incomingPathOf } from '../upload.ts';

/**
 * A presigned POST whose policy fixes bucket, key, type and exact length for 15 minutes. A page can repeat it during that
 * time; therefore its key is not the one that the file is read from.
 */
export const presignUpload: PresignUpload = async ({ path, mimeType, size }) => {
  const expiresMs = Date.now() + DIRECT_UPLOAD_TTL_SECONDS * 1_000;
  const { url, fields } = await createPresignedPost(s3Client(), {
    Bucket: requireSetting('uploadsBucket'),
    Key: incomingPathOf(path),
    Fields: { 'Content-Type': mimeType },
    Conditions: [['content-length-range', size, size]],
    Expires: DIRECT_UPLOAD_TTL_SECONDS,
  });
  // The policy has a resolution of one second.
  return { url, fields, expiresAt: new Date(Math.floor(expiresMs / 1_000) * 1_000).toISOString() };
};
