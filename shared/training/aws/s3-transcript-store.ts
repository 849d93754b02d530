import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { COMPRESSED_BYTES_MAX, type TranscriptStore } from '../transcripts.ts';

/** All attempts together: a few megabytes, and somebody waits. */
const CALL_MS = 8_000;

const at = (key: string) => ({ Bucket: requireSetting('trainingBucket'), Key: key });
const inTime = () => ({ abortSignal: AbortSignal.timeout(CALL_MS) });

/** Large transcripts in the bucket of training, for who only reads them. Throws Problem 503 while it is not available. */
export const createS3TranscriptReader = (): Pick<TranscriptStore, 'get'> => ({
  get: (key) =>
    rethrowAsUnavailable('The transcript cannot be read. Try again shortly.', async () => {
      const found = await undefinedIfMissing(() => s3Client().send(new GetObjectCommand(at(key)), inTime()));
      if ((found?.ContentLength ?? 0) > COMPRESSED_BYTES_MAX) throw new Error('A stored transcript is too large.');
      return found?.Body?.transformToByteArray();
    }),
});

/** The same for who only writes them. */
export const createS3TranscriptWriter = (): Pick<TranscriptStore, 'put'> => ({
  put: async (key, packed) => {
    const put = new PutObjectCommand({ ...at(key), Body: packed, ContentType: 'application/gzip' });
    await rethrowAsUnavailable('The transcript cannot be stored. Try again shortly.', () =>
      s3Client().send(put, inTime()),
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
