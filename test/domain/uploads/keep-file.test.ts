import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { dynamoKeptUploads } from '../../../shared/uploads/dynamo-kept-uploads.ts';
import { keptFiles } from '../../../shared/uploads/keep-file.ts';
import type { KeptFile, Upload } from '../../../shared/uploads/upload.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { ALL_FILES, aPdf, aPng } from '../../support/files.ts';
import { anUpload, DAY_MS, recordIn, stored } from '../../support/stored-uploads.ts';
import { NOON } from '../../support/upload.ts';

const { callsOf } = useDynamo();

function setUp(objects: Record<string, Buffer> = {}, atMs = NOON) {
  const heads: string[] = [];
  const head = async (path: string, bytes: number) => {
    heads.push(path);
    const found = objects[path];
    return found && { size: found.length, head: found.subarray(0, bytes), etag: 'any' };
  };
  const files = keptFiles({ uploads: dynamoKeptUploads(), files: { head }, clock: { now: () => atMs } });
  return { files, heads };
}

const by = ({ orgId, uuid, funnelId, blockId }: Upload, said: Partial<KeptFile> = {}): KeptFile => ({
  orgId,
  uuid,
  funnelId,
  blockId,
  leadId: randomUUID(),
  ...said,
});

test('a stored file is kept with one write, and again with one more that changes nothing', async () => {
  const upload = await stored(anUpload());
  const { files, heads } = setUp();
  const file = by(upload);
  expect(await callsOf(() => files.keep(file))).toEqual(['UpdateItem']);
  const once = await recordIn(upload);
  expect(once).toMatchObject({ state: 'kept', leads: [`${upload.funnelId}/${file.leadId}`] });
  expect(await callsOf(() => files.keep(file))).toEqual(['UpdateItem']);
  expect(await recordIn(upload)).toEqual(once);
  expect(heads).toEqual([]);
});

test.each<[string, Partial<Upload>, (upload: Upload) => Partial<KeptFile>]>([
  ['of another organization', {}, () => ({ orgId: randomUUID() })],
  ['that does not exist', {}, () => ({ uuid: randomUUID() })],
  ['of another block than the field’s', {}, () => ({ blockId: randomUUID() })],
  ['of another funnel, for a field without a block', {}, () => ({ blockId: undefined, funnelId: randomUUID() })],
  ['that has expired', { createdAtMs: NOON - 7 * DAY_MS }, () => ({})],
  ['that was announced and has expired', { state: 'unverified', createdAtMs: NOON - 7 * DAY_MS }, () => ({})],
  ['that is being removed', { state: 'removing' }, () => ({})],
  ['that was refused', { state: 'refused' }, () => ({})],
])('a file %s is not kept, and its record stays', async (_, said, asked) => {
  const upload = await stored(anUpload(said));
  const { files, heads } = setUp({ [upload.storagePath]: aPng() });
  expect(await files.keep(by(upload, asked(upload)))).toMatch(/^[A-Z].+\.$/);
  expect(await recordIn(upload)).toEqual(upload);
  expect(heads).toEqual([]);
});

test('a field without a block takes a file of any block of its funnel', async () => {
  const upload = await stored(anUpload());
  expect(await setUp().files.keep(by(upload, { blockId: undefined }))).toBeUndefined();
});

test('a field of another funnel of the organization takes files of the block that it names', async () => {
  const upload = await stored(anUpload());
  expect(await setUp().files.keep(by(upload, { funnelId: randomUUID() }))).toBeUndefined();
});

test('a file that was kept does not expire', async () => {
  const upload = await stored(anUpload());
  const { files } = setUp();
  await files.keep(by(upload));
  expect(await setUp({}, NOON + 400 * DAY_MS).files.keep(by(upload))).toBeUndefined();
});

test('one file is kept for 20 leads and no more, also when they come at once', async () => {
  const upload = await stored(anUpload());
  const { files } = setUp();
  const leads = Array.from({ length: 30 }, () => by(upload));
  const faults = await Promise.all(leads.map((file) => files.keep(file)));
  expect(faults.filter((fault) => fault === undefined)).toHaveLength(20);
  expect((await recordIn(upload))?.leads).toHaveLength(20);
  expect(faults.find((fault) => fault !== undefined)).toContain('too many');
});

const announced = (said: Parameters<typeof anUpload>[0] = {}) =>
  anUpload({ state: 'unverified', inspected: false, kind: 'pdf', size: aPdf().length, ...said });

test('an announced file is looked at once, then kept, and due to be looked at in whole', async () => {
  const upload = await stored(announced());
  const { files, heads } = setUp({ [upload.storagePath]: aPdf() });
  const file = by(upload);
  expect(await files.keep(file)).toBeUndefined();
  expect(heads).toHaveLength(1);
  expect(await recordIn(upload)).toMatchObject({ state: 'kept', inspected: false, dueAtMs: NOON });
  expect(await callsOf(() => files.keep(file))).toEqual(['UpdateItem']);
  expect(heads).toHaveLength(1);
});

test.each<[string, Buffer | undefined]>([
  ['was never sent', undefined],
  ['is longer than announced', Buffer.concat([aPdf(), aPdf()])],
  ['is empty', Buffer.alloc(0)],
  ['is something else of the same length', Buffer.alloc(aPdf().length, '<html>')],
])('an announced file that %s is refused and can still be sent', async (_, content) => {
  const upload = await stored(announced());
  const fault = await setUp(content && { [upload.storagePath]: content }).files.keep(by(upload));
  expect(fault).toMatch(/announced/);
  expect(await recordIn(upload)).toEqual(upload);
  expect(await setUp({ [upload.storagePath]: aPdf() }).files.keep(by(upload))).toBeUndefined();
});

test.each(Object.entries(ALL_FILES))('an announced %s is known by its first bytes', async (kind, make) => {
  const content = Buffer.concat([make(), Buffer.alloc(6_000, 32)]);
  const upload = await stored(announced({ kind: kind as 'pdf', size: content.length }));
  expect(await setUp({ [upload.storagePath]: content }).files.keep(by(upload))).toBeUndefined();
});

test('two submits that look at an announced file at once both keep it', async () => {
  const upload = await stored(announced());
  const { files } = setUp({ [upload.storagePath]: aPdf() });
  const faults = await Promise.all([1, 2, 3].map(() => files.keep(by(upload))));
  expect(faults).toEqual([undefined, undefined, undefined]);
  expect((await recordIn(upload))?.leads).toHaveLength(3);
});
