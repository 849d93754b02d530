import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { CREDENTIALS } from '../../../infra/local/runtime/environment.ts';
import { startObjectStore } from '../../../infra/local/s3/server.ts';

export const BUCKET = 'training';

/** Starts an object store with the training bucket for the tests of a file, and configures the adapters. */
export function useTrainingBucket(): void {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'training-'));
    const port = await startObjectStore(folder, BUCKET);
    Object.assign(process.env, {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      TRAINING_BUCKET: BUCKET,
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
}
