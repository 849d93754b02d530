import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, test } from 'vitest';
import { createDynamoUploadLocator } from '../../infra/cli/uploads/dynamo-upload-locator.ts';
import { createFileLink, type FileLink } from '../../infra/cli/uploads/file-link.ts';
import { presignDownload } from '../../infra/cli/uploads/presign-download.ts';
import { applyEnvironment, CREDENTIALS, tableName } from '../../infra/local/runtime/environment.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { useLocalRuntime } from '../support/local/use-local-runtime.ts';
import { aJpeg, anExif, aPdf, aPng, LATITUDE, XMP } from '../support/uploads/sample-files.ts';

const runtime = useLocalRuntime();
let api: string;
let place: { blockId: string; organizationId: string };

beforeAll(() => {
  const { baseUrl, funnel, organizations, aws } = runtime.demo;
  api = `${baseUrl}/api/v2/public/funnel`;
  place = { blockId: funnel.uploadBlockId, organizationId: organizations.a.id };
  // This process needs the settings, because it creates the download links.
  applyEnvironment({
    AWS_REGION: aws.region,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: aws.dynamodb,
    AWS_ENDPOINT_URL_S3: aws.s3,
    UPLOADS_TABLE: tableName('uploads'),
    UPLOADS_BUCKET: aws.bucket,
  });
});

type Json = Record<string, unknown>;
type Uploaded = { uuid: string; storagePath: string; size: number; name: string };

async function sendForm(content: Buffer, name: string): Promise<{ status: number; body: Json }> {
  const form = new FormData();
  for (const [part, value] of Object.entries(place)) form.set(part, value);
  form.set('file', new Blob([content]), name);
  const answer = await fetch(`${api}/upload`, { method: 'POST', body: form });
  return { status: answer.status, body: (await answer.json()) as Json };
}

async function postJson(path: string, body: object): Promise<{ status: number; body: Json }> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${api}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as Json };
}

const announce = async (name: string, content: Buffer, mimeType: string) => {
  const { status, body } = await postJson('upload', { ...place, name, size: content.length, mimeType });
  expect(status).toBe(200);
  return body as { data: Uploaded; upload: { url: string; fields: Record<string, string> } };
};

/** Sends the form like a web page of another origin. */
function sendToStore({ url, fields }: { url: string; fields: Record<string, string> }, content: Buffer) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([content]), 'blob');
  return fetch(url, { method: 'POST', body: form, headers: { Origin: 'https://shop.example' } });
}

const submit = (data: Json) => postJson(`${runtime.demo.funnel.id}/submit`, { data });

/** Retries until a link can be created, because the sweeper must inspect a large file first. */
async function linkTo(uuid: string): Promise<FileLink> {
  const ports = { uploads: createDynamoUploadLocator(), sign: presignDownload, clock: systemClock };
  for (let attempt = 0; ; attempt++) {
    try {
      return await createFileLink(ports, { uuid });
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(300);
    }
  }
}

const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

test('a photo uploaded in a form is downloaded with the same number of bytes, but without the place where it was taken', async () => {
  const photo = aJpeg({ exif: anExif(), xmp: XMP });
  const { status, body } = await sendForm(photo, 'Dach (März).jpg');
  expect(status).toBe(200);
  const { uuid, size } = body.data as Uploaded;
  expect(size).toBe(photo.length);
  expect((await submit({ roof_photo: uuid })).status).toBe(200);
  const { url, name } = await linkTo(uuid);
  expect(name).toBe('Dach (März).jpg');
  const answer = await fetch(url);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment; filename="/),
  });
  const downloaded = await bytesOf(answer);
  expect(downloaded.length).toBe(photo.length);
  expect(downloaded.includes(LATITUDE)).toBe(false);
});

// These three tests run concurrently, so that they wait for the same run of the sweeper.
test.concurrent('a PDF of 6 MB that is uploaded to S3 is attached to a lead and downloaded unchanged', async () => {
  const plan = Buffer.concat([aPdf(), randomBytes(6_000_000)]);
  const { data, upload } = await announce('Plan.pdf', plan, 'application/pdf');
  expect(await submit({ roof_photo: data.uuid })).toMatchObject({
    status: 422,
    body: { error: { validation_errors: [{ field: 'roof_photo', code: 'file' }] } },
  });
  const posted = await sendToStore(upload, plan);
  expect(posted.status).toBe(204);
  expect(posted.headers.get('access-control-allow-origin')).toBe('*');
  expect((await submit({ roof_photo: data.uuid })).status).toBe(200);
  const { url } = await linkTo(data.uuid);
  expect((await bytesOf(await fetch(url))).equals(plan)).toBe(true);
}, 60_000);

test.concurrent('a large photo that is uploaded to S3 is downloaded without the place where it was taken', async () => {
  const image = Buffer.concat([aJpeg({ exif: anExif() }), Buffer.alloc(5_000_000)]);
  const { data, upload } = await announce('roof.jpg', image, 'image/jpeg');
  expect((await sendToStore(upload, image)).status).toBe(204);
  expect((await submit({ roof_photo: data.uuid })).status).toBe(200);
  const { url } = await linkTo(data.uuid);
  const downloaded = await bytesOf(await fetch(url));
  expect(downloaded.length).toBe(image.length);
  expect(downloaded.includes(LATITUDE)).toBe(false);
}, 60_000);

test.concurrent('if other bytes are posted to S3 after the submit, the lead’s file stays the same', async () => {
  const image = aJpeg({ exif: anExif() });
  const { data, upload } = await announce('roof.jpg', image, 'image/jpeg');
  const again = Buffer.alloc(image.length, '<svg onload=alert(1)>');
  await sendToStore(upload, image);
  expect((await submit({ roof_photo: data.uuid })).status).toBe(200);
  expect((await sendToStore(upload, again)).status).toBe(204);
  const { url } = await linkTo(data.uuid);
  await sendToStore(upload, image);
  expect((await submit({ roof_photo: data.uuid })).status).toBe(200);
  const downloaded = await bytesOf(await fetch(url));
  expect([downloaded.length, downloaded.includes('<svg'), downloaded.includes(LATITUDE)]).toEqual([
    image.length,
    false,
    false,
  ]);
}, 60_000);

test('200: concurrent submits may refer to the same directly uploaded file', async () => {
  const { data, upload } = await announce('a.png', aPng(), 'image/png');
  await sendToStore(upload, aPng());
  const answers = await Promise.all(Array.from({ length: 18 }, () => submit({ roof_photo: data.uuid })));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 18 }, () => 200));
}, 60_000);

test('S3 accepts a file only with the announced size, key and type', async () => {
  const { data, upload } = await announce('Plan.pdf', aPdf(), 'application/pdf');
  for (const wrong of [Buffer.concat([aPdf(), aPdf()]), aPdf().subarray(1)]) {
    expect((await sendToStore(upload, wrong)).status).toBe(400);
  }
  const elsewhere = { ...upload, fields: { ...upload.fields, key: `${place.organizationId}/elsewhere.pdf` } };
  expect((await sendToStore(elsewhere, aPdf())).status).toBe(403);
  const { fields } = upload;
  const asPage = { ...upload, fields: { ...fields, 'Content-Type': 'text/html' } };
  expect((await sendToStore(asPage, aPdf())).status).toBe(403);
  const { region, s3, bucket } = runtime.demo.aws;
  const client = new S3Client({ region, endpoint: s3, forcePathStyle: true, credentials: CREDENTIALS });
  for (const Key of [data.storagePath, upload.fields.key]) {
    const get = new GetObjectCommand({ Bucket: bucket, Key });
    await expect(client.send(get)).rejects.toMatchObject({ name: 'NoSuchKey' });
  }
});

test('4xx: a malformed form, a file that is too large and a file of a wrong type are rejected', async () => {
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const malformed = await fetch(`${api}/upload`, { method: 'POST', headers, body: '--x\r\n\r\n' });
  expect(malformed.status).toBe(400);
  expect(await malformed.json()).toEqual({ error: { code: 'bad_request', message: expect.any(String) } });
  expect((await sendForm(Buffer.alloc(4 * 1024 * 1024 + 1, ' '), 'a.txt')).status).toBe(413);
  expect((await sendForm(Buffer.alloc(6 * 1024 * 1024, ' '), 'a.txt')).status).toBe(413);
  expect((await sendForm(Buffer.from('<svg/>'), 'a.png')).status).toBe(415);
  expect((await sendForm(aPng(), 'a.png')).status).toBe(200);
});
