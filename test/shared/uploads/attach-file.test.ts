import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type AttachFilePorts, createFileAttacher } from '../../../shared/uploads/attach-file.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import type { FileReference, Upload } from '../../../shared/uploads/upload.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { ALL_FILES, aPdf, aPng } from '../../support/uploads/sample-files.ts';
import { anUpload, DAY_MS, memoryStore, readUpload, storeUpload } from '../../support/uploads/stored-uploads.ts';
import { NOON } from '../../support/uploads/upload-api.ts';

const { callsOf } = useDynamo();

function setUp(incoming: Record<string, Buffer> = {}, atMs = NOON) {
  const store = memoryStore();
  for (const [path, content] of Object.entries(incoming)) store.incoming.set(path, content);
  const ports: AttachFilePorts = {
    uploads: createDynamoUploadRepository(),
    incoming: store.sent,
    clock: { now: () => atMs },
  };
  return { files: createFileAttacher(ports), ports, ...store };
}

const referenceTo = (
  { orgId, uuid, funnelId, blockId }: Upload,
  overrides: Partial<FileReference> = {},
): FileReference => ({
  orgId,
  uuid,
  funnelId,
  blockId,
  leadId: randomUUID(),
  ...overrides,
});

test('attaching a stored file needs one write; repeating it needs one write and changes nothing', async () => {
  const upload = await storeUpload(anUpload());
  const { files, heads } = setUp();
  const file = referenceTo(upload);
  expect(await callsOf(() => files.attach(file))).toEqual(['UpdateItem']);
  const once = await readUpload(upload);
  expect(once).toMatchObject({ state: 'attached', leads: [`${upload.funnelId}/${file.leadId}`] });
  expect(await callsOf(() => files.attach(file))).toEqual(['UpdateItem']);
  expect(await readUpload(upload)).toEqual(once);
  expect(heads).toEqual([]);
});

test.each<[string, Partial<Upload>, (upload: Upload) => Partial<FileReference>]>([
  ['of another organization', {}, () => ({ orgId: randomUUID() })],
  ['that does not exist', {}, () => ({ uuid: randomUUID() })],
  ['of another block than the field’s', {}, () => ({ blockId: randomUUID() })],
  ['of another funnel, for a field without a block,', {}, () => ({ blockId: undefined, funnelId: randomUUID() })],
  ['that has expired', { createdAtMs: NOON - 7 * DAY_MS }, () => ({})],
  ['of a direct upload that has expired', { state: 'pending', createdAtMs: NOON - 7 * DAY_MS }, () => ({})],
  ['that is being deleted', { state: 'deleting' }, () => ({})],
  ['that was rejected', { state: 'rejected' }, () => ({})],
])('a file %s is not attached, and the stored record stays unchanged', async (_, stored, overrides) => {
  const upload = await storeUpload(anUpload(stored));
  const { files, heads } = setUp({ [upload.storagePath]: aPng() });
  expect(await files.attach(referenceTo(upload, overrides(upload)))).toMatch(/^[A-Z].+\.$/);
  expect(await readUpload(upload)).toEqual(upload);
  expect(heads).toEqual([]);
});

test('a field that specifies no block accepts a file from any block of its funnel', async () => {
  const upload = await storeUpload(anUpload());
  expect(await setUp().files.attach(referenceTo(upload, { blockId: undefined }))).toBeUndefined();
});

test('a field that specifies a block accepts a file from this block, even if the file is from another funnel', async () => {
  const upload = await storeUpload(anUpload());
  expect(await setUp().files.attach(referenceTo(upload, { funnelId: randomUUID() }))).toBeUndefined();
});

test('an attached file does not expire', async () => {
  const upload = await storeUpload(anUpload());
  const { files } = setUp();
  await files.attach(referenceTo(upload));
  expect(await setUp({}, NOON + 400 * DAY_MS).files.attach(referenceTo(upload))).toBeUndefined();
});

test('of 30 concurrent submits of one file to different leads, 20 succeed, because a file can have 20 leads', async () => {
  const upload = await storeUpload(anUpload());
  const { files } = setUp();
  const leads = Array.from({ length: 30 }, () => referenceTo(upload));
  const errors = await Promise.all(leads.map((file) => files.attach(file)));
  expect(errors.filter((error) => error === undefined)).toHaveLength(20);
  expect((await readUpload(upload))?.leads).toHaveLength(20);
  expect(errors.find((error) => error !== undefined)).toContain('Too many leads');
});

const aDirectUpload = (overrides: Parameters<typeof anUpload>[0] = {}) =>
  anUpload({ state: 'pending', isInspected: false, kind: 'pdf', size: aPdf().length, ...overrides });

test('attaching a direct upload reads its first bytes once, and makes the upload due for inspection', async () => {
  const upload = await storeUpload(aDirectUpload());
  const { files, heads } = setUp({ [upload.storagePath]: aPdf() });
  const file = referenceTo(upload);
  expect(await files.attach(file)).toBeUndefined();
  expect(heads).toHaveLength(1);
  expect(await readUpload(upload)).toMatchObject({ state: 'attached', isInspected: false, dueAtMs: NOON });
  expect(await callsOf(() => files.attach(file))).toEqual(['UpdateItem']);
  expect(heads).toHaveLength(1);
});

test('attaching a file to a second lead does not change when the file is due for inspection', async () => {
  const upload = await storeUpload(aDirectUpload());
  await setUp({ [upload.storagePath]: aPdf() }).files.attach(referenceTo(upload));
  await setUp({}, NOON + 60_000).files.attach(referenceTo(upload));
  expect(await readUpload(upload)).toMatchObject({ dueAtMs: NOON, leads: [expect.any(String), expect.any(String)] });
});

test.each<[string, Buffer | undefined]>([
  ['is missing', undefined],
  ['is longer than declared', Buffer.concat([aPdf(), aPdf()])],
  ['is empty', Buffer.alloc(0)],
  ['has other content of the same length', Buffer.alloc(aPdf().length, '<html>')],
])('a direct upload that %s is not attached until the announced content is sent', async (_, content) => {
  const upload = await storeUpload(aDirectUpload());
  const error = await setUp(content && { [upload.storagePath]: content }).files.attach(referenceTo(upload));
  expect(error).toMatch(/announced/);
  expect(await readUpload(upload)).toEqual(upload);
  expect(await setUp({ [upload.storagePath]: aPdf() }).files.attach(referenceTo(upload))).toBeUndefined();
});

test.each(Object.entries(ALL_FILES))(
  'a direct upload of the kind %s is attached, because its first bytes show the kind',
  async (kind, make) => {
    const content = Buffer.concat([make(), Buffer.alloc(6_000, 32)]);
    const upload = await storeUpload(aDirectUpload({ kind: kind as 'pdf', size: content.length }));
    expect(await setUp({ [upload.storagePath]: content }).files.attach(referenceTo(upload))).toBeUndefined();
  },
);

test('attaching promotes the checked content; content that is sent later does not replace it', async () => {
  const upload = await storeUpload(aDirectUpload());
  const { files, incoming, objects } = setUp({ [upload.storagePath]: aPdf() });
  expect(await files.attach(referenceTo(upload))).toBeUndefined();
  incoming.set(upload.storagePath, Buffer.alloc(aPdf().length, '<svg>'));
  expect(await files.attach(referenceTo(upload))).toBeUndefined();
  expect(objects).toEqual(new Map([[upload.storagePath, aPdf()]]));
});

test('if a file is replaced between check and promotion, it is checked again, and wrong content is not attached', async () => {
  const upload = await storeUpload(aDirectUpload());
  const { ports, incoming, objects, heads } = setUp({ [upload.storagePath]: aPdf() });
  const { head } = ports.incoming;
  ports.incoming.head = async (...given) => {
    const found = await head(...given);
    incoming.set(upload.storagePath, Buffer.alloc(aPdf().length, '<svg>'));
    return found;
  };
  expect(await createFileAttacher(ports).attach(referenceTo(upload))).toContain('differs from what was announced');
  expect(heads).toHaveLength(2);
  expect(objects.size).toBe(0);
  expect(await readUpload(upload)).toEqual(upload);
});

test('after a crash between the promotion and the write of the record, the next submit attaches the file', async () => {
  const upload = await storeUpload(aDirectUpload());
  const { ports, files, objects } = setUp({ [upload.storagePath]: aPdf() });
  const { addLeadReference: attach } = ports.uploads;
  const crashing: AttachFilePorts['uploads'] = {
    ...ports.uploads,
    addLeadReference: async (file, from, nowMs) => {
      if (from === 'pending') throw new Error('killed');
      return attach(file, from, nowMs);
    },
  };
  await expect(createFileAttacher({ ...ports, uploads: crashing }).attach(referenceTo(upload))).rejects.toThrow(
    'killed',
  );
  expect(await readUpload(upload)).toEqual(upload);
  expect(await files.attach(referenceTo(upload))).toBeUndefined();
  expect(objects.get(upload.storagePath)).toEqual(aPdf());
});

test('a submit succeeds even if a concurrent submit attaches the same file between read and write', async () => {
  const upload = await storeUpload(aDirectUpload());
  const { ports, files, incoming } = setUp({ [upload.storagePath]: aPdf() });
  const { find } = ports.uploads;
  const slow: AttachFilePorts['uploads'] = {
    ...ports.uploads,
    find: async (orgId, uuid) => {
      const found = await find(orgId, uuid);
      await files.attach(referenceTo(upload));
      incoming.clear();
      return found;
    },
  };
  expect(await createFileAttacher({ ...ports, uploads: slow }).attach(referenceTo(upload))).toBeUndefined();
});

test.each([2, 3, 20])('%i concurrent submits of a direct upload all attach the file', async (count) => {
  const upload = await storeUpload(aDirectUpload());
  const { files } = setUp({ [upload.storagePath]: aPdf() });
  const errors = await Promise.all(Array.from({ length: count }, () => files.attach(referenceTo(upload))));
  expect(errors.filter((error) => error !== undefined)).toEqual([]);
  expect((await readUpload(upload))?.leads).toHaveLength(count);
});

test('503: attaching a file fails if its record changes between every read and write', async () => {
  const upload = await storeUpload(aDirectUpload());
  const { ports } = setUp({ [upload.storagePath]: aPdf() });
  let writes = 0;
  const attach = async () => {
    writes++;
    return false;
  };
  const result = createFileAttacher({ ...ports, uploads: { ...ports.uploads, addLeadReference: attach } }).attach(
    referenceTo(upload),
  );
  await expect(result).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  expect(writes).toBeLessThanOrEqual(11);
});

test('a direct upload is not promoted in the last minute of its 7 days, because the sweeper may delete the record', async () => {
  const upload = await storeUpload(aDirectUpload());
  const late = setUp({ [upload.storagePath]: aPdf() }, NOON + 7 * DAY_MS - 30_000);
  expect(await late.files.attach(referenceTo(upload))).toMatch(/no uploaded file/);
  expect(late.objects.size).toBe(0);
});
