import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { CREDENTIALS } from '../../../infra/local/runtime/environment.ts';
import { startObjectStore } from '../../../infra/local/s3/server.ts';

/** The name of the bucket that `useTrainingBucket` makes. */
export const BUCKET = 'training';

/** Gives a file's tests the bucket of training, on this machine; the adapters find it by the environment. */
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
