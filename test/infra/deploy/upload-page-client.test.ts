import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PAGE_CLIENT_FILES } from '../../../infra/bundles/page-client-files.ts';
import { uploadPageClient } from '../../../infra/deploy/upload-page-client.ts';
import { ALIAS_FOLDER, VERSION, VERSION_FOLDER } from '../../../infra/page-client/delivery.ts';

type StoredObject = { body: string; type: string | undefined; cacheControl: string | undefined };

/** Objects of the simulated bucket, by key. */
const objects = new Map<string, StoredObject>();
const uploads: string[] = [];
let isRefused = false;

const error = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>The reason</Message></Error>`;

/** Responds as S3 to GetObject, PutObject and conditional PutObject. */
const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { headers, method, url = '' } = request;
  const key = new URL(url, 'http://s3').pathname.replace('/client-bucket/', '');
  const existing = objects.get(key);
  if (method === 'GET') return void response.writeHead(existing ? 200 : 404).end(existing?.body ?? error('NoSuchKey'));
  if (isRefused) return void response.writeHead(403).end(error('AccessDenied'));
  if (existing && headers['if-none-match'] === '*')
    return void response.writeHead(412).end(error('PreconditionFailed'));
  uploads.push(key);
  objects.set(key, {
    body: Buffer.concat(parts).toString(),
    type: headers['content-type'],
    cacheControl: headers['cache-control'],
  });
  response.writeHead(200).end();
});

const folder = mkdtempSync(join(tmpdir(), 'tributary-page-client-'));
let s3: S3Client;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  s3 = new S3Client({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
  });
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  objects.clear();
  uploads.length = 0;
  isRefused = false;
});

/** Writes a build whose files contain their name and this text, and uploads the build. */
function upload(text: string, isPublished: boolean): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const file of PAGE_CLIENT_FILES) writeFileSync(join(folder, file), `${file} ${text}`);
  return uploadPageClient({ s3, bucket: 'client-bucket', isPublished, folder });
}

/** Returns the keys of the files in the order of the upload: the scripts that pages load are last. */
const keysIn = (inFolder: string) => PAGE_CLIENT_FILES.toReversed().map((file) => `${inFolder}/${file}`);

test('a published version is uploaded to its own folder first, then to the folder of its major version', async () => {
  await upload('one', true);
  expect(uploads).toEqual([...keysIn(VERSION_FOLDER), ...keysIn(ALIAS_FOLDER)]);
  expect(uploads.at(-1)).toBe(`${ALIAS_FOLDER}/funnel.js`);
  const script = { body: 'funnel.js one', type: 'text/javascript; charset=utf-8' };
  expect(objects.get(`${VERSION_FOLDER}/funnel.js`)).toEqual({
    ...script,
    cacheControl: 'public, max-age=31536000, immutable',
  });
  expect(objects.get(`${ALIAS_FOLDER}/funnel.js`)).toEqual({ ...script, cacheControl: 'public, max-age=600' });
  expect(objects.get(`${ALIAS_FOLDER}/funnel.mjs`)?.type).toBe('text/javascript; charset=utf-8');
  expect(objects.get(`${ALIAS_FOLDER}/funnel.d.mts`)?.type).toBe('text/plain; charset=utf-8');
});

test('the same version can be deployed again, even after an interrupted upload', async () => {
  await upload('one', true);
  objects.delete(`${VERSION_FOLDER}/funnel.mjs`);
  uploads.length = 0;
  await upload('one', true);
  expect(uploads).toEqual([`${VERSION_FOLDER}/funnel.mjs`, ...keysIn(ALIAS_FOLDER)]);
});

test('if a file of a published version differs in the bucket, the upload fails and replaces no file', async () => {
  await upload('one', true);
  const before = new Map(objects);
  await expect(upload('two', true)).rejects.toThrow(
    `The file ${VERSION_FOLDER}/${PAGE_CLIENT_FILES.at(-1)} in the bucket client-bucket differs from the built file. Files of ` +
      'a published version never change, so the upload stopped at this file and did not replace it. Deploy the commit that ' +
      `published version ${VERSION} of the page client, or set a new version in web/page-client/versions.json.`,
  );
  expect(objects).toEqual(before);
});

test('an unpublished version is uploaded only to the folder of the major version, and replaces the files there', async () => {
  await upload('one', false);
  await upload('two', false);
  expect([...objects.keys()]).toEqual(keysIn(ALIAS_FOLDER));
  expect(objects.get(`${ALIAS_FOLDER}/funnel.js`)?.body).toBe('funnel.js two');
});

test('the error for a missing permission names the permission and the bucket', async () => {
  isRefused = true;
  await expect(upload('one', true)).rejects.toThrow(
    /^These AWS credentials do not permit s3:PutObject for the bucket client-bucket\./,
  );
});

test('the uploaded files equal the built files', async () => {
  await upload('Grüße 👋', false);
  for (const file of PAGE_CLIENT_FILES)
    expect(objects.get(`${ALIAS_FOLDER}/${file}`)?.body).toBe(readFileSync(join(folder, file), 'utf8'));
});
