import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { TranscriptStore } from '../ports.ts';
import { COMPRESSED_BYTES_MAX } from '../transcripts.ts';

/** Time limit for all attempts together. Short, because a client waits. */
const TIMEOUT_MS = 8_000;

const locationOf = (key: string) => ({ Bucket: requireSetting('trainingBucket'), Key: key });
const withTimeout = () => ({ abortSignal: AbortSignal.timeout(TIMEOUT_MS) });

export const createS3TranscriptReader = (): Pick<TranscriptStore, 'get'> => ({
  get: (key) =>
    rethrowAsUnavailable('The transcript cannot be read. Try again shortly.', async () => {
      const found = await undefinedIfMissing(() =>
        s3Client().send(new GetObjectCommand(locationOf(key)), withTimeout()),
      );
      if ((found?.ContentLength ?? 0) > COMPRESSED_BYTES_MAX)
        throw new Error(`The transcript ${key} is larger than ${COMPRESSED_BYTES_MAX} bytes.`);
      return found?.Body?.transformToByteArray();
    }),
});

export const createS3TranscriptWriter = (): Pick<TranscriptStore, 'put'> => ({
  put: async (key, compressed) => {
    const put = new PutObjectCommand({ ...locationOf(key), Body: compressed, ContentType: 'application/gzip' });
    await rethrowAsUnavailable('The transcript cannot be stored. Try again shortly.', () =>
      s3Client().send(put, withTimeout()),
    );
  },
});

async function undefinedIfMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
    throw error;
  }
}
