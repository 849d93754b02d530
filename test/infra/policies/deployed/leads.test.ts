import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { BUCKETS, tableName } from '../../../../infra/local/runtime/environment.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';
import { aJpeg, anExif, aPng } from '../../../support/uploads/sample-files.ts';

const functions = useDeployedFunctions(
  'funnel/submit',
  'funnel/upload',
  'funnel/mfa-send',
  'funnel/mfa-check',
  'funnel/ai-stream',
  'background/sweep-uploads',
);

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const submit = (body: object, headers: Record<string, string> = {}) =>
  functions.call('funnel/submit', { path: { id: functions.demo().funnel.id }, body, headers });
const aHandle = { lead_id: randomUUID(), update_token: 'a'.repeat(43) };

type Announced = {
  data: { uuid: string; storagePath: string };
  upload: { url: string; fields: Record<string, string> };
};

async function announce(name: string, content: Buffer, mimeType: string): Promise<Announced> {
  const { funnel, organizations } = functions.demo();
  const place = { blockId: funnel.uploadBlockId, organizationId: organizations.a.id };
  const body = { ...place, name, size: content.length, mimeType };
  const response = await functions.call('funnel/upload', { body, headers: { 'content-type': 'application/json' } });
  expect(response).toMatchObject({ status: 200 });
  return response.body as Announced;
}

/** Posts the file to S3 as a browser does, outside of functions. */
async function send({ upload }: Announced, content: Buffer): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(upload.fields)) form.set(name, value);
  form.set('file', new Blob([content]), 'blob');
  expect((await fetch(upload.url, { method: 'POST', body: form })).status).toBe(204);
}

const keys = async () =>
  ((await s3Client().send(new ListObjectsV2Command({ Bucket: BUCKETS.uploads }))).Contents ?? []).map(({ Key }) => Key);

test('submit repeats the response for an idempotency key, and responds 403 to a wrong token and 404 to an unknown lead', async () => {
  const sameKey = { 'idempotency-key': randomUUID() };
  const [first, second] = [
    await submit({ data: { name: 'Ada' } }, sameKey),
    await submit({ data: { name: 'Ada' } }, sameKey),
  ];
  expect(second).toEqual(first);
  const { id } = (first.body as { data: { id: string } }).data;
  expect(await submit({ ...aHandle, lead_id: id, data: {} })).toMatchObject({ status: 403 });
  expect(await submit({ ...aHandle, data: {} })).toMatchObject({ status: 404 });
});

test.each(['ai-stream', 'mfa-send', 'mfa-check', 'upload'])(
  'if the header x-cdn-proof of a request is wrong, %s responds without a server error',
  async (name) => {
    const { body } = await submit({ data: { email: 'ada@shop.example' } });
    const { id: lead_id, update_token } = (body as { data: { id: string; update_token: string } }).data;
    const headers = { 'x-cdn-proof': 'wrong', 'content-type': 'application/json' };
    const values = { lead_id, update_token, channel: 'email', code: '000000', prompt: 'How long?' };
    const request = { path: { id: functions.demo().funnel.id }, headers, body: values };
    expect((await functions.call(`funnel/${name}`, request)).status).toBeLessThan(500);
  },
);

test('200: submit accepts a file even if an earlier submit failed after it had copied the file', async () => {
  const plan = await announce('plan.png', aPng(), 'image/png');
  await send(plan, aPng());
  const copied = { Bucket: BUCKETS.uploads, Key: plan.data.storagePath, Body: aPng() };
  await s3Client().send(new PutObjectCommand(copied));
  expect(await submit({ data: { roof_photo: plan.data.uuid } })).toMatchObject({ status: 200 });
});

/** Returns the bytes that count for the daily upload quota, summed over all organizations. */
async function readDailyBytes(): Promise<number> {
  const { Items = [] } = await dynamoDocumentClient().send(
    new ScanCommand({ TableName: tableName('limits'), ConsistentRead: true }),
  );
  return Items.filter(({ pk }) => pk.startsWith('upload-bytes-day#')).reduce((sum, { calls }) => sum + calls, 0);
}

test('sweep-uploads keeps files of leads, deletes old unused files, and frees the daily quota of files never sent', async () => {
  const photo = aJpeg({ exif: anExif() });
  const [kept, lost, unused] = [
    await announce('roof.jpg', photo, 'image/jpeg'),
    await announce('plan.png', aPng(), 'image/png'),
    await announce('none.png', aPng(), 'image/png'),
  ];
  const naming = ({ data }: Announced) => submit({ data: { roof_photo: data.uuid } });
  expect(await naming(kept)).toMatchObject({ status: 422 });
  await send(kept, photo);
  await send(lost, aPng());
  await send(unused, aPng());
  expect([(await naming(kept)).status, (await naming(lost)).status]).toEqual([200, 200]);
  await s3Client().send(new DeleteObjectCommand({ Bucket: BUCKETS.uploads, Key: lost.data.storagePath }));
  const arrived = await readDailyBytes();
  const neverSent = Buffer.alloc(5_000);
  await announce('never.png', neverSent, 'image/png');
  expect(await readDailyBytes()).toBe(arrived + neverSent.length);
  functions.later(2 * HOUR_MS);
  await functions.run('background/sweep-uploads');
  expect(await readDailyBytes()).toBe(arrived);
  functions.later(10 * DAY_MS);
  await functions.run('background/sweep-uploads');
  const left = await keys();
  expect(left).toContain(kept.data.storagePath);
  expect(left.filter((key) => key?.includes(unused.data.uuid))).toEqual([]);
});
