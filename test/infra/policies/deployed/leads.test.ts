import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { BUCKETS, tableName } from '../../../../infra/local/runtime/environment.ts';
import { dynamo } from '../../../../shared/platform/clients.ts';
import { s3 } from '../../../../shared/platform/s3.ts';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';
import { aJpeg, anExif, aPng } from '../../../support/files.ts';

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

async function announced(name: string, content: Buffer, mimeType: string): Promise<Announced> {
  const { funnel, organizations } = functions.demo();
  const place = { blockId: funnel.uploadBlockId, organizationId: organizations.a.id };
  const body = { ...place, name, size: content.length, mimeType };
  const answer = await functions.call('funnel/upload', { body, headers: { 'content-type': 'application/json' } });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as Announced;
}

/** As a page sends it, which is no function. */
async function sent({ upload }: Announced, content: Buffer): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(upload.fields)) form.set(name, value);
  form.set('file', new Blob([content]), 'blob');
  expect((await fetch(upload.url, { method: 'POST', body: form })).status).toBe(204);
}

const keys = async () =>
  ((await s3().send(new ListObjectsV2Command({ Bucket: BUCKETS.uploads }))).Contents ?? []).map(({ Key }) => Key);

test('a submit is repeated by its key, and a wrong handle told from a missing lead', async () => {
  const again = { 'idempotency-key': randomUUID() };
  const [first, second] = [
    await submit({ data: { name: 'Ada' } }, again),
    await submit({ data: { name: 'Ada' } }, again),
  ];
  expect(second).toEqual(first);
  const { id } = (first.body as { data: { id: string } }).data;
  expect(await submit({ ...aHandle, lead_id: id, data: {} })).toMatchObject({ status: 403 });
  expect(await submit({ ...aHandle, data: {} })).toMatchObject({ status: 404 });
});

test.each(['ai-stream', 'mfa-send', 'mfa-check', 'upload'])('%s looks whether our CDN proves itself', async (name) => {
  const { body } = await submit({ data: { email: 'ada@shop.example' } });
  const { id: lead_id, update_token } = (body as { data: { id: string; update_token: string } }).data;
  const headers = { 'x-cdn-proof': 'wrong', 'content-type': 'application/json' };
  const asked = { lead_id, update_token, channel: 'email', code: '000000', prompt: 'How long?' };
  const request = { path: { id: functions.demo().funnel.id }, headers, body: asked };
  expect((await functions.call(`funnel/${name}`, request)).status).toBeLessThan(500);
});

test('a file that an earlier submit had copied before it failed is kept by the next one', async () => {
  const plan = await announced('plan.png', aPng(), 'image/png');
  await sent(plan, aPng());
  const copied = { Bucket: BUCKETS.uploads, Key: plan.data.storagePath, Body: aPng() };
  await s3().send(new PutObjectCommand(copied));
  expect(await submit({ data: { roof_photo: plan.data.uuid } })).toMatchObject({ status: 200 });
});

/** Bytes that count for the day of all organizations. */
async function countedBytes(): Promise<number> {
  const { Items = [] } = await dynamo().send(new ScanCommand({ TableName: tableName('limits'), ConsistentRead: true }));
  return Items.filter(({ pk }) => pk.startsWith('upload-bytes-day#')).reduce((sum, { calls }) => sum + calls, 0);
}

test('a file that was announced is looked at, kept, cleaned, and removed when no lead refers to it', async () => {
  const photo = aJpeg({ exif: anExif() });
  const [kept, lost, unused] = [
    await announced('roof.jpg', photo, 'image/jpeg'),
    await announced('plan.png', aPng(), 'image/png'),
    await announced('none.png', aPng(), 'image/png'),
  ];
  const naming = ({ data }: Announced) => submit({ data: { roof_photo: data.uuid } });
  expect(await naming(kept)).toMatchObject({ status: 422 });
  await sent(kept, photo);
  await sent(lost, aPng());
  await sent(unused, aPng());
  expect([(await naming(kept)).status, (await naming(lost)).status]).toEqual([200, 200]);
  await s3().send(new DeleteObjectCommand({ Bucket: BUCKETS.uploads, Key: lost.data.storagePath }));
  const arrived = await countedBytes();
  const neverSent = Buffer.alloc(5_000);
  await announced('never.png', neverSent, 'image/png');
  expect(await countedBytes()).toBe(arrived + neverSent.length);
  functions.later(2 * HOUR_MS);
  await functions.run('background/sweep-uploads');
  expect(await countedBytes()).toBe(arrived);
  functions.later(10 * DAY_MS);
  await functions.run('background/sweep-uploads');
  const left = await keys();
  expect(left).toContain(kept.data.storagePath);
  expect(left.filter((key) => key?.includes(unused.data.uuid))).toEqual([]);
});
