import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createDynamoUploadLocator } from '../../../../infra/cli/uploads/dynamo-upload-locator.ts';
import { createFileLink, type FileLinkPorts } from '../../../../infra/cli/uploads/file-link.ts';
import { presignDownload } from '../../../../infra/cli/uploads/presign-download.ts';
import type { Upload } from '../../../../shared/uploads/upload.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { anUpload, DAY_MS, storeUpload } from '../../../support/uploads/stored-uploads.ts';
import { NOON } from '../../../support/uploads/upload-api.ts';

useDynamo();

const ports = (atMs = NOON): FileLinkPorts => ({
  uploads: createDynamoUploadLocator(),
  sign: async (path, name) => ({
    url: `https://uploads.example/${path}?name=${name}`,
    expiresAt: '2026-05-31T12:10:00.000Z',
  }),
  clock: { now: () => atMs },
});

test('a link to a file is created from the UUID alone, or from the UUID and the organization', async () => {
  await Promise.all(Array.from({ length: 40 }, () => storeUpload(anUpload())));
  const upload = await storeUpload(anUpload({ name: 'Dach.png' }));
  const link = {
    url: `https://uploads.example/${upload.storagePath}?name=Dach.png`,
    name: 'Dach.png',
    size: upload.size,
    mimeType: 'image/png',
    expiresAt: '2026-05-31T12:10:00.000Z',
  };
  expect(await createFileLink(ports(), { uuid: upload.uuid })).toEqual(link);
  expect(await createFileLink(ports(), { uuid: upload.uuid, orgId: upload.orgId })).toEqual(link);
});

test.each<[string, Partial<Upload>, number, RegExp]>([
  ['has expired', {}, NOON + 7 * DAY_MS, /expired/],
  ['is being removed', { state: 'deleting' }, NOON, /There is no file/],
  ['was rejected', { state: 'rejected' }, NOON, /deleted/],
  ['no lead refers to', { state: 'pending', isInspected: false }, NOON, /no lead refers to it/],
  ['is attached but not inspected yet', { state: 'attached', isInspected: false }, NOON, /not inspected yet/],
])('no link is created to a file that %s', async (_, overrides, atMs, sentence) => {
  const { uuid } = await storeUpload(anUpload(overrides));
  await expect(createFileLink(ports(atMs), { uuid })).rejects.toThrow(sentence);
});

test('no link is created to a file that does not exist or belongs to another organization', async () => {
  const { uuid } = await storeUpload(anUpload());
  const unknown = randomUUID();
  await expect(createFileLink(ports(), { uuid: unknown })).rejects.toThrow(`There is no file ${unknown}: see`);
  await expect(createFileLink(ports(), { uuid, orgId: unknown })).rejects.toThrow(
    `The organization has no file ${uuid}: omit --organization`,
  );
});

test('a link to an attached file is created even 900 days after its upload', async () => {
  const { uuid } = await storeUpload(anUpload({ state: 'attached' }));
  await expect(createFileLink(ports(NOON + 900 * DAY_MS), { uuid })).resolves.toMatchObject({ name: 'a.png' });
});

test('a link is valid for ten minutes, and its response is an attachment with the type octet-stream', async () => {
  vi.stubEnv('UPLOADS_BUCKET', 'uploads');
  const { url, expiresAt } = await presignDownload('org/block/uuid.png', 'Dach (März).png');
  const { pathname, searchParams } = new URL(url);
  expect(pathname).toBe('/org/block/uuid.png');
  expect(Object.fromEntries(searchParams)).toMatchObject({
    'X-Amz-Expires': '600',
    'response-content-type': 'application/octet-stream',
    'response-content-disposition':
      'attachment; filename="Dach (M_rz).png"; filename*=UTF-8\'\'Dach%20%28M%C3%A4rz%29.png',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 600_000)).toBeLessThan(5_000);
});
