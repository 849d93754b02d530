import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CREDENTIALS } from '../../infra/local/runtime/environment.ts';
import type { Demo } from '../../infra/local/seed/demo-json.ts';
import { scanMultipart } from '../../shared/http/multipart/scan-multipart.ts';
import { aPdf } from '../support/uploads/sample-files.ts';
import { aForm, BOUNDARY, FORM_HEADERS } from '../support/uploads/upload-api.ts';
import { quantiles } from './load.ts';

const FILE_BYTES = 4 * 1024 * 1024;
const SCANS = 400;
const UPLOADS = 60;
const WARM_UP = 5;

const aLargeFile = (): Buffer => Buffer.concat([aPdf(), randomBytes(FILE_BYTES - aPdf().length)]);

/** Measures how many megabytes per second `scanMultipart` reads from a form with a file of 4 MB. */
export function scanRate(): number {
  const form = aForm({ fields: { blockId: 'b', organizationId: 'o' }, file: { name: 'a.pdf', content: aLargeFile() } });
  for (let scan = 0; scan < WARM_UP; scan++) scanMultipart(form, BOUNDARY);
  const start = performance.now();
  for (let scan = 0; scan < SCANS; scan++) scanMultipart(form, BOUNDARY);
  return (form.length * SCANS) / 1_000 / (performance.now() - start);
}

/** Measures how many milliseconds longer an upload of 4 MB takes than a bare PutObject. The requests alternate. */
export async function uploadsAboveBare({ baseUrl, funnel, organizations, aws }: Demo) {
  const client = new S3Client({
    region: aws.region,
    endpoint: aws.s3,
    forcePathStyle: true,
    credentials: CREDENTIALS,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const place = { blockId: funnel.uploadBlockId, organizationId: organizations.a.id };
  const content = aLargeFile();
  const body = aForm({ fields: place, file: { name: 'a.pdf', content } });
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const bare: number[] = [];
  const ours: number[] = [];
  for (let upload = 0; upload < WARM_UP + UPLOADS; upload++) {
    const put = new PutObjectCommand({ Bucket: aws.bucket, Key: `bench/${upload}`, Body: content });
    const bareMs = await timed(() => client.send(put));
    const ourMs = await timed(async () => {
      const response = await fetch(`${baseUrl}/api/v2/public/funnel/upload`, {
        method: 'POST',
        headers: FORM_HEADERS,
        body: new Uint8Array(body),
      });
      if (response.status !== 200) throw new Error(`The response to the upload has status ${response.status}.`);
      await response.text();
    });
    if (upload >= WARM_UP) bare.push(bareMs);
    if (upload >= WARM_UP) ours.push(ourMs);
  }
  client.destroy();
  const [bareAt, oursAt] = [quantiles(bare), quantiles(ours)];
  return { bare: bareAt, ours: oursAt, p50: oursAt.p50 - bareAt.p50, p95: oursAt.p95 - bareAt.p95 };
}

/**
 * Measures the maximum growth of the built function's memory in bytes, on and outside of the heap, during an upload of
 * 4 MB. Includes the base64 body, all copies, and garbage that is not collected yet.
 */
export async function uploadPeakBytes({ funnel, organizations, aws }: Demo): Promise<number> {
  const secrets = createServer((_, response) =>
    response.end(JSON.stringify({ SecretString: 'a secret of the bench' })),
  );
  secrets.listen(0, '127.0.0.1');
  await once(secrets, 'listening');
  const child = fork(new URL('upload-memory.ts', import.meta.url), {
    execArgv: ['--expose-gc'],
    env: {
      ...process.env,
      AWS_REGION: aws.region,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: aws.dynamodb,
      AWS_ENDPOINT_URL_S3: aws.s3,
      DIRECTORY_TABLE: aws.tables.directory,
      UPLOADS_TABLE: aws.tables.uploads,
      LIMITS_TABLE: aws.tables.limits,
      UPLOADS_BUCKET: aws.bucket,
      HASH_SECRET_ID: 'hashes',
      CDN_SECRET_ID: 'cdn',
      LOCAL_RATE_LIMITS: 'off',
      PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: String((secrets.address() as AddressInfo).port),
    },
  });
  child.send({ blockId: funnel.uploadBlockId, organizationId: organizations.a.id });
  const [grown] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('upload-memory.ts ended without a result.'))),
  ]);
  child.disconnect();
  secrets.close();
  return Number(grown);
}
