import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BucketAlreadyOwnedByYou, CreateBucketCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3';
import { CREDENTIALS } from '../../infra/local/runtime/environment.ts';
import { freePort } from '../support/free-port.ts';
import { listens } from './dynamodb-local.ts';
import { spawnBound, VERSITYGW_BINARY } from './tools.ts';

/** Starts versitygw with these buckets, in place of the S3 stand-in. @returns the port of versitygw */
export async function startObjectStore(folder: string, ...buckets: readonly string[]): Promise<number> {
  const port = await freePort();
  const root = join(folder, 'versitygw');
  mkdirSync(root, { recursive: true });
  const args = ['--port', `127.0.0.1:${port}`, '--region', 'eu-central-1', 'posix', root];
  spawnBound(VERSITYGW_BINARY, args, {
    env: { ROOT_ACCESS_KEY: CREDENTIALS.accessKeyId, ROOT_SECRET_KEY: CREDENTIALS.secretAccessKey },
  });
  await listens(port, 'versitygw');
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({ endpoint, region: 'eu-central-1', forcePathStyle: true, credentials: CREDENTIALS });
  for (const Bucket of buckets) {
    await client.send(new CreateBucketCommand({ Bucket })).catch((error: unknown) => {
      // After a restart, the bucket already exists.
      if (!(error instanceof BucketAlreadyOwnedByYou)) throw error;
    });
    // Web pages of other origins upload files directly to the bucket.
    const CORSRules = [{ AllowedMethods: ['GET', 'POST'], AllowedOrigins: ['*'], AllowedHeaders: ['*'] }];
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
  }
  client.destroy();
  return port;
}
