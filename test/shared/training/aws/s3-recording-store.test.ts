import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { createS3RecordingStore } from '../../../../shared/training/aws/s3-recording-store.ts';
import { storeRecording } from '../../../../shared/training/recordings.ts';
import { useTrainingBucket } from '../../../support/training/training-bucket.ts';

const MB = 1024 * 1024;
useTrainingBucket();

const store = (content: Readable, timeoutMs = 60_000, recordings = createS3RecordingStore()) =>
  storeRecording(
    { voice: { fetchRecording: async () => ({ content, contentType: 'audio/mpeg' }) }, recordings },
    { orgId: randomUUID(), callId: randomUUID(), conversationId: 'conv_1' },
    timeoutMs,
  );

test('a recording is stored with its length and type', async () => {
  const audio = randomBytes(2 * MB);
  const Key = await store(Readable.from([audio]));
  const { Body, ContentLength, ContentType } = await s3Client().send(new GetObjectCommand({ Bucket: 'training', Key }));
  expect({ ContentLength, ContentType }).toEqual({ ContentLength: audio.length, ContentType: 'audio/mpeg' });
  expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(audio)).toBe(true);
});

test('storing a recording of 50 MB uses less than 32 MB of memory', async () => {
  const provider = await startServer((request, response) => {
    const bytes = request.url?.includes('large') ? 50 * MB : MB;
    response.setHeader('content-type', 'audio/mpeg').setHeader('content-length', bytes);
    Readable.from(Array.from({ length: bytes / MB }, () => Buffer.alloc(MB, 7))).pipe(response);
  });
  const script = fileURLToPath(import.meta.resolve('./recording-memory.ts'));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, provider.url]);
  provider.close();
  const { key, samples, grown } = JSON.parse(stdout);
  expect(samples).toBeGreaterThan(0);
  const head = await s3Client().send(new HeadObjectCommand({ Bucket: 'training', Key: key }));
  expect(head.ContentLength).toBe(50 * MB);
  expect(grown).toBeLessThan(32 * MB);
});

test('storing a recording fails after the time-out if S3 does not read the request or does not respond', async () => {
  for (const respond of [() => undefined, (request: IncomingMessage) => void request.resume()]) {
    const server = await startServer(respond);
    const client = new S3Client({ endpoint: server.url, forcePathStyle: true });
    const recordings = createS3RecordingStore(() => client);
    await expect(store(Readable.from([randomBytes(20 * MB)]), 300, recordings)).rejects.toThrow();
    server.close();
  }
});

async function startServer(respond: RequestListener) {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, url: `http://127.0.0.1:${port}`, close };
}
