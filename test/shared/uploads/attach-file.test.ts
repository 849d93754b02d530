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

const by = ({ orgId, uuid, funnelId, blockId }: Upload, said: Partial<FileReference> = {}): FileReference => ({
  orgId,
  uuid,
  funnelId,
  blockId,
  leadId: randomUUID(),
  ...said,
});

test('a stored file is kept with one write, and again with one more that changes nothing', async () => {
  const upload = await storeUpload(anUpload());
  const { files, heads } = setUp();
  const file = by(upload);
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
  ['of another funnel, for a field without a block', {}, () => ({ blockId: undefined, funnelId: randomUUID() })],
  ['that has expired', { createdAtMs: NOON - 7 * DAY_MS }, () => ({})],
  ['that was announced and has expired', { state: 'pending', createdAtMs: NOON - 7 * DAY_MS }, () => ({})],
  ['that is being removed', { state: 'deleting' }, () => ({})],
  ['that was refused', { state: 'rejected' }, () => ({})],
])('a file %s is not kept, and its record stays', async (_, said, asked) => {
  const upload = await storeUpload(anUpload(said));
  const { files, heads } = setUp({ [upload.storagePath]: aPng() });
  expect(await files.attach(by(upload, asked(upload)))).toMatch(/^[A-Z].+\.$/);
  expect(await readUpload(upload)).toEqual(upload);
  expect(heads).toEqual([]);
});

test('a field without a block takes a file of any block of its funnel', async () => {
  const upload = await storeUpload(anUpload());
  expect(await setUp().files.attach(by(upload, { blockId: undefined }))).toBeUndefined();
});

test('a field of another funnel of the organization takes files of the block that it names', async () => {
  const upload = await storeUpload(anUpload());
  expect(await setUp().files.attach(by(upload, { funnelId: randomUUID() }))).toBeUndefined();
});

test('a file that was kept does not expire', async () => {
  const upload = await storeUpload(anUpload());
  const { files } = setUp();
  await files.attach(by(upload));
  expect(await setUp({}, NOON + 400 * DAY_MS).files.attach(by(upload))).toBeUndefined();
});

test('one file is kept for 20 leads and no more, also when they come at once', async () => {
  const upload = await storeUpload(anUpload());
  const { files } = setUp();
  const leads = Array.from({ length: 30 }, () => by(upload));
  const faults = await Promise.all(leads.map((file) => files.attach(file)));
  expect(faults.filter((fault) => fault === undefined)).toHaveLength(20);
  expect((await readUpload(upload))?.leads).toHaveLength(20);
  expect(faults.find((fault) => fault !== undefined)).toContain('Too many leads');
});

const announced = (said: Parameters<typeof anUpload>[0] = {}) =>
  anUpload({ state: 'pending', isInspected: false, kind: 'pdf', size: aPdf().length, ...said });

test('an announced file is looked at once, then kept, and due to be looked at in whole', async () => {
  const upload = await storeUpload(announced());
  const { files, heads } = setUp({ [upload.storagePath]: aPdf() });
  const file = by(upload);
  expect(await files.attach(file)).toBeUndefined();
  expect(heads).toHaveLength(1);
  expect(await readUpload(upload)).toMatchObject({ state: 'attached', isInspected: false, dueAtMs: NOON });
  expect(await callsOf(() => files.attach(file))).toEqual(['UpdateItem']);
  expect(heads).toHaveLength(1);
});

test('a file that is kept again before it was looked at in whole stays due for it', async () => {
  const upload = await storeUpload(announced());
  await setUp({ [upload.storagePath]: aPdf() }).files.attach(by(upload));
  await setUp({}, NOON + 60_000).files.attach(by(upload));
  expect(await readUpload(upload)).toMatchObject({ dueAtMs: NOON, leads: [expect.any(String), expect.any(String)] });
});

test.each<[string, Buffer | undefined]>([
  ['was never sent', undefined],
  ['is longer than announced', Buffer.concat([aPdf(), aPdf()])],
  ['is empty', Buffer.alloc(0)],
  ['is something else of the same length', Buffer.alloc(aPdf().length, '<html>')],
])('an announced file that %s is refused and can still be sent', async (_, content) => {
  const upload = await storeUpload(announced());
  const fault = await setUp(content && { [upload.storagePath]: content }).files.attach(by(upload));
  expect(fault).toMatch(/announced/);
  expect(await readUpload(upload)).toEqual(upload);
  expect(await setUp({ [upload.storagePath]: aPdf() }).files.attach(by(upload))).toBeUndefined();
});

test.each(Object.entries(ALL_FILES))('an announced %s is known by its first bytes', async (kind, make) => {
  const content = Buffer.concat([make(), Buffer.alloc(6_000, 32)]);
  const upload = await storeUpload(announced({ kind: kind as 'pdf', size: content.length }));
  expect(await setUp({ [upload.storagePath]: content }).files.attach(by(upload))).toBeUndefined();
});

test('what was looked at is taken to its place; what is sent afterwards stays outside', async () => {
  const upload = await storeUpload(announced());
  const { files, incoming, objects } = setUp({ [upload.storagePath]: aPdf() });
  expect(await files.attach(by(upload))).toBeUndefined();
  incoming.set(upload.storagePath, Buffer.alloc(aPdf().length, '<svg>'));
  expect(await files.attach(by(upload))).toBeUndefined();
  expect(objects).toEqual(new Map([[upload.storagePath, aPdf()]]));
});

test('what is sent between the look and the taking is looked at, too', async () => {
  const upload = await storeUpload(announced());
  const { ports, incoming, objects, heads } = setUp({ [upload.storagePath]: aPdf() });
  const { head } = ports.incoming;
  ports.incoming.head = async (...given) => {
    const found = await head(...given);
    incoming.set(upload.storagePath, Buffer.alloc(aPdf().length, '<svg>'));
    return found;
  };
  expect(await createFileAttacher(ports).attach(by(upload))).toContain('differs from what was announced');
  expect(heads).toHaveLength(2);
  expect(objects.size).toBe(0);
  expect(await readUpload(upload)).toEqual(upload);
});

test('killed after the taking, the next submit takes it anew', async () => {
  const upload = await storeUpload(announced());
  const { ports, files, objects } = setUp({ [upload.storagePath]: aPdf() });
  const { attach: keep } = ports.uploads;
  const dying: AttachFilePorts['uploads'] = {
    ...ports.uploads,
    attach: async (file, from, nowMs) => {
      if (from === 'pending') throw new Error('killed');
      return keep(file, from, nowMs);
    },
  };
  await expect(createFileAttacher({ ...ports, uploads: dying }).attach(by(upload))).rejects.toThrow('killed');
  expect(await readUpload(upload)).toEqual(upload);
  expect(await files.attach(by(upload))).toBeUndefined();
  expect(objects.get(upload.storagePath)).toEqual(aPdf());
});

test('a submit that comes to look when another has kept the file and what was sent is gone keeps it, too', async () => {
  const upload = await storeUpload(announced());
  const { ports, files, incoming } = setUp({ [upload.storagePath]: aPdf() });
  const { find } = ports.uploads;
  const late: AttachFilePorts['uploads'] = {
    ...ports.uploads,
    find: async (orgId, uuid) => {
      const found = await find(orgId, uuid);
      await files.attach(by(upload));
      incoming.clear();
      return found;
    },
  };
  expect(await createFileAttacher({ ...ports, uploads: late }).attach(by(upload))).toBeUndefined();
});

test.each([2, 3, 20])('%i submits that look at an announced file at once all keep it', async (count) => {
  const upload = await storeUpload(announced());
  const { files } = setUp({ [upload.storagePath]: aPdf() });
  const faults = await Promise.all(Array.from({ length: count }, () => files.attach(by(upload))));
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  expect((await readUpload(upload))?.leads).toHaveLength(count);
});

test('a record that changes between every look and write is a 503 after some tries, and no fault of the file', async () => {
  const upload = await storeUpload(announced());
  const { ports } = setUp({ [upload.storagePath]: aPdf() });
  let writes = 0;
  const keep = async () => {
    writes++;
    return false;
  };
  const refused = createFileAttacher({ ...ports, uploads: { ...ports.uploads, attach: keep } }).attach(by(upload));
  await expect(refused).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  expect(writes).toBeLessThanOrEqual(11);
});

test('an announced file is not taken in the last minute of its 7 days, in which its record may go', async () => {
  const upload = await storeUpload(announced());
  const late = setUp({ [upload.storagePath]: aPdf() }, NOON + 7 * DAY_MS - 30_000);
  expect(await late.files.attach(by(upload))).toMatch(/no uploaded file/);
  expect(late.objects.size).toBe(0);
});
