import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { DIRECT_UPLOAD_TTL_SECONDS, incomingPathOf } from '../upload.ts';
import type { UploadFilePorts } from '../upload-file.ts';

/**
 * A presigned POST whose policy fixes bucket, key, type and length to the byte, for 15 minutes. It may be repeated as long,
 * so that its key is not the one that the file is read from.
 */
export const presignUpload: UploadFilePorts['presign'] = async ({ path, mimeType, size }) => {
  const expiresMs = Date.now() + DIRECT_UPLOAD_TTL_SECONDS * 1_000;
  const { url, fields } = await createPresignedPost(s3Client(), {
    Bucket: requireSetting('uploadsBucket'),
    Key: incomingPathOf(path),
    Fields: { 'Content-Type': mimeType },
    Conditions: [['content-length-range', size, size]],
    Expires: DIRECT_UPLOAD_TTL_SECONDS,
  });
  // The policy knows whole seconds.
  return { url, fields, expiresAt: new Date(Math.floor(expiresMs / 1_000) * 1_000).toISOString() };
};
