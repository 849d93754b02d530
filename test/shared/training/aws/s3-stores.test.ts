import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { createS3RecordingStore } from '../../../../shared/training/aws/s3-recording-store.ts';
import {
  createS3TranscriptReader,
  createS3TranscriptWriter,
} from '../../../../shared/training/aws/s3-transcript-store.ts';
import { storeRecording } from '../../../../shared/training/recordings.ts';
import { COMPRESSED_BYTES_MAX } from '../../../../shared/training/transcripts.ts';
import { useTrainingBucket } from '../../../support/training/training-bucket.ts';

const MB = 1024 * 1024;
useTrainingBucket();

describe('transcripts', () => {
  test('are read as they were stored, also when stored twice', async () => {
    const [key, compressed] = [`transcripts/${randomUUID()}/a.json.gz`, randomBytes(100_000)];
    await Promise.all([
      createS3TranscriptWriter().put(key, compressed),
      createS3TranscriptWriter().put(key, compressed),
    ]);
    expect(Buffer.from((await createS3TranscriptReader().get(key)) ?? []).equals(compressed)).toBe(true);
  });

  test('that are missing are undefined, and too large ones refused', async () => {
    const key = `transcripts/${randomUUID()}/b.json.gz`;
    expect(await createS3TranscriptReader().get(key)).toBeUndefined();
    await createS3TranscriptWriter().put(key, Buffer.alloc(COMPRESSED_BYTES_MAX + 1));
    await expect(createS3TranscriptReader().get(key)).rejects.toThrow('too large');
  });
});

describe('recordings', () => {
  const keep = (content: Readable, timeMs = 60_000, recordings = createS3RecordingStore()) =>
    storeRecording(
      { voice: { fetchRecording: async () => ({ content, contentType: 'audio/mpeg' }) }, recordings },
      { orgId: randomUUID(), callId: randomUUID(), conversationId: 'conv_1' },
      timeMs,
    );

  test('are stored with their length and type', async () => {
    const sound = randomBytes(2 * MB);
    const Key = await keep(Readable.from([sound]));
    const { Body, ContentLength, ContentType } = await s3Client().send(
      new GetObjectCommand({ Bucket: 'training', Key }),
    );
    expect({ ContentLength, ContentType }).toEqual({ ContentLength: sound.length, ContentType: 'audio/mpeg' });
    expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(sound)).toBe(true);
  });

  test('take no memory worth mentioning: 50 MB make a process hold less than 32 MB more', async () => {
    const provider = await listening((request, response) => {
      const bytes = request.url?.includes('large') ? 50 * MB : MB;
      response.setHeader('content-type', 'audio/mpeg').setHeader('content-length', bytes);
      Readable.from(Array.from({ length: bytes / MB }, () => Buffer.alloc(MB, 7))).pipe(response);
    });
    const script = fileURLToPath(import.meta.resolve('./recording-memory.ts'));
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, provider.url]);
    provider.close();
    const { key, looks, grown } = JSON.parse(stdout);
    expect(looks).toBeGreaterThan(0);
    const head = await s3Client().send(new HeadObjectCommand({ Bucket: 'training', Key: key }));
    expect(head.ContentLength).toBe(50 * MB);
    expect(grown).toBeLessThan(32 * MB);
  });

  test('are given up in time by a store that takes no more, or does not answer', async () => {
    for (const take of [() => undefined, (request: IncomingMessage) => void request.resume()]) {
      const store = await listening(take);
      const client = new S3Client({ endpoint: store.url, forcePathStyle: true });
      const recordings = createS3RecordingStore(() => client);
      await expect(keep(Readable.from([randomBytes(20 * MB)]), 300, recordings)).rejects.toThrow();
      store.close();
    }
  });
});

async function listening(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, url: `http://127.0.0.1:${port}`, close };
}
