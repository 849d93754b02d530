import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  createS3TranscriptReader,
  createS3TranscriptWriter,
} from '../../../../shared/training/aws/s3-transcript-store.ts';
import { COMPRESSED_BYTES_MAX } from '../../../../shared/training/transcripts.ts';
import { useTrainingBucket } from '../../../support/training/training-bucket.ts';

useTrainingBucket();

test('a stored transcript is read unchanged, even if it was stored twice', async () => {
  const [key, compressed] = [`transcripts/${randomUUID()}/a.json.gz`, randomBytes(100_000)];
  await Promise.all([createS3TranscriptWriter().put(key, compressed), createS3TranscriptWriter().put(key, compressed)]);
  expect(Buffer.from((await createS3TranscriptReader().get(key)) ?? []).equals(compressed)).toBe(true);
});

test('reading a missing transcript returns undefined, and reading a transcript that is too large throws', async () => {
  const key = `transcripts/${randomUUID()}/b.json.gz`;
  expect(await createS3TranscriptReader().get(key)).toBeUndefined();
  await createS3TranscriptWriter().put(key, Buffer.alloc(COMPRESSED_BYTES_MAX + 1));
  await expect(createS3TranscriptReader().get(key)).rejects.toThrow('is larger than');
});
