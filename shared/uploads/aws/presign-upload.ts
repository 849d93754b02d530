import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { UploadPresigner } from '../ports.ts';
import { DIRECT_UPLOAD_TTL_SECONDS, incomingPathOf } from '../upload.ts';

/**
 * Presigns a POST whose policy fixes the bucket, the key, the type and the exact length, and expires after 15 minutes.
 * Until it expires, a page can send the form repeatedly. The form therefore does not write to the storage path, where
 * it could overwrite an inspected file.
 */
export const presignUpload: UploadPresigner = async ({ path, mimeType, size }) => {
  const expiresMs = Date.now() + DIRECT_UPLOAD_TTL_SECONDS * 1_000;
  const { url, fields } = await createPresignedPost(s3Client(), {
    Bucket: requireSetting('uploadsBucket'),
    Key: incomingPathOf(path),
    Fields: { 'Content-Type': mimeType },
    Conditions: [['content-length-range', size, size]],
    Expires: DIRECT_UPLOAD_TTL_SECONDS,
  });
  // Rounded down, because the expiry in the policy has a resolution of one second.
  return { url, fields, expiresAt: new Date(Math.floor(expiresMs / 1_000) * 1_000).toISOString() };
};
