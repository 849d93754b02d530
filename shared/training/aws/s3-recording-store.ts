import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { RecordingStore } from '../ports.ts';

/**
 * Longer than the client's default, which is meant for small objects. The caller's signal usually ends a request
 * earlier.
 */
const REQUEST_TIMEOUT_MS = 15 * 60_000;

export function createS3RecordingStore(client: () => S3Client = s3Client): RecordingStore {
  return {
    put: async (key, { content, bytes, contentType }, signal) => {
      const put = new PutObjectCommand({
        Bucket: requireSetting('trainingBucket'),
        Key: key,
        Body: content,
        ContentLength: bytes,
        ContentType: contentType,
      });
      await client().send(put, { abortSignal: signal, requestTimeout: REQUEST_TIMEOUT_MS });
    },
  };
}
