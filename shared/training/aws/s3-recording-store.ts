import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { RecordingStore } from '../recordings.ts';

/** The client's own limit is for small objects; the caller's signal comes before it. */
const REQUEST_MS = 15 * 60_000;

/** Recordings in the bucket of training. */
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
      await client().send(put, { abortSignal: signal, requestTimeout: REQUEST_MS });
    },
  };
}
