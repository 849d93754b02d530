import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { createHandler } from '../../../functions/background/sweep-uploads/handler.ts';
import { createFileReferenceCheck } from '../../../shared/leads/aws/dynamo-file-reference-check.ts';
import { createFileAttacher } from '../../../shared/uploads/attach-file.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import type { FileKind } from '../../../shared/uploads/file-type.ts';
import { sweepUploads } from '../../../shared/uploads/sweep-uploads.ts';
import type { Upload } from '../../../shared/uploads/upload.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { aLeadChangeOf, storeLead } from '../../support/leads/stored-leads.ts';
import { anOfficeZip } from '../../support/uploads/office-files.ts';
import { aJpeg, anExif, anIsoFile, aPng, box, LATITUDE } from '../../support/uploads/sample-files.ts';
import {
  anUpload,
  crashingPorts,
  DAY_MS,
  readUpload,
  setUpSweep,
  storeUpload,
} from '../../support/uploads/stored-uploads.ts';
import { NOON } from '../../support/uploads/upload-api.ts';

useDynamo();

/** Processes all due uploads of earlier tests, so that the next test does not sweep them. */
beforeEach(async () => {
  const { ports } = setUpSweep(NOON + 10_000 * DAY_MS);
  await sweepUploads(ports);
});

const after = (days: number, world = setUpSweep()) => {
  world.clock.ms = NOON + days * DAY_MS;
  return sweepUploads(world.ports);
};

test('a file to which no lead refers is deleted with its record 7 days after its upload', async () => {
  const world = setUpSweep();
  const uploads = await Promise.all([
    storeUpload(anUpload()),
    storeUpload(anUpload({ state: 'pending', isInspected: false })),
  ]);
  for (const { storagePath } of uploads) world.objects.set(storagePath, aPng());
  expect(await after(6.99, world)).toEqual(new Map());
  expect(world.objects.size).toBe(2);
  expect(await after(7, world)).toEqual(new Map([['deleted', 2]]));
  expect(world.objects.size).toBe(0);
  for (const upload of uploads) expect(await readUpload(upload)).toBeUndefined();
});

/** Stores a file that is attached to a lead. @param refers whether the lead's data refers to the file */
async function storeAttached(
  world: ReturnType<typeof setUpSweep>,
  refers: boolean,
  overrides: Parameters<typeof anUpload>[0] = {},
) {
  const upload = await storeUpload(anUpload(overrides));
  const file = { ...upload, leadId: randomUUID() };
  const from = upload.state === 'pending' ? 'pending' : 'stored';
  expect(await createDynamoUploadRepository().addLeadReference(file, from, NOON)).toBe(true);
  world.objects.set(upload.storagePath, aPng());
  if (refers) world.references.add(`${upload.funnelId}/${file.leadId} ${upload.uuid}`);
  return upload;
}

test('a file is kept while a lead refers to it, and is deleted afterwards', async () => {
  const world = setUpSweep();
  const upload = await storeAttached(world, true);
  for (const days of [0.1, 7.1, 30, 400]) expect(await after(days, world)).toEqual(new Map([['referenced', 1]]));
  expect(world.objects.has(upload.storagePath)).toBe(true);
  world.references.clear();
  expect(await after(410, world)).toEqual(new Map([['deleted', 1]]));
  expect(world.objects.size).toBe(0);
});

test('a file whose submit failed is detached; it can be attached again, or is deleted 7 days after its upload', async () => {
  const world = setUpSweep();
  const upload = await storeAttached(world, false);
  expect(await after(0.02, world)).toEqual(new Map());
  expect(await after(0.1, world)).toEqual(new Map([['detached', 1]]));
  expect(await readUpload(upload)).toMatchObject({ state: 'stored', leads: [], dueAtMs: upload.dueAtMs });
  expect(
    await createDynamoUploadRepository().addLeadReference({ ...upload, leadId: randomUUID() }, 'stored', NOON + DAY_MS),
  ).toBe(true);
  expect(await after(1.1, world)).toEqual(new Map([['detached', 1]]));
  expect(await after(7, world)).toEqual(new Map([['deleted', 1]]));
});

test('a file that is attached to two leads is kept if one of the leads refers to the file', async () => {
  const world = setUpSweep();
  const upload = await storeAttached(world, false);
  const other = randomUUID();
  await createDynamoUploadRepository().addLeadReference({ ...upload, leadId: other }, 'stored', NOON);
  world.references.add(`${upload.funnelId}/${other} ${upload.uuid}`);
  expect(await after(9, world)).toEqual(new Map([['referenced', 1]]));
});

test('a file is kept if a submit attaches it between the read and the write of the sweeper', async () => {
  const world = setUpSweep();
  const upload = await storeUpload(anUpload());
  world.objects.set(upload.storagePath, aPng());
  world.clock.ms = NOON + 7 * DAY_MS;
  const late = NOON + 7 * DAY_MS - 1;
  const { find } = world.ports.uploads;
  world.ports.uploads.find = async (orgId, uuid) => {
    const found = await find(orgId, uuid);
    await createDynamoUploadRepository().addLeadReference({ ...upload, leadId: randomUUID() }, 'stored', late);
    return found;
  };
  expect(await sweepUploads(world.ports)).toEqual(new Map([['conflict', 1]]));
  expect(await readUpload(upload)).toMatchObject({ state: 'attached' });
  expect(world.objects.size).toBe(1);
});

test('a lead refers to a file if the lead exists, has not expired, and has the uuid of the file in a field', async () => {
  const uuid = randomUUID();
  const lead = await storeLead(aLeadChangeOf({ photo: uuid }));
  const name = `${lead.funnelId}/${lead.leadId}`;
  const refers = createFileReferenceCheck({ now: () => NOON });
  expect(await refers(name, uuid)).toBe(true);
  expect(await refers(name, randomUUID())).toBe(false);
  expect(await refers(`${lead.funnelId}/${randomUUID()}`, uuid)).toBe(false);
  const expiring = await storeLead(aLeadChangeOf({ photo: uuid }, { retainedUntilMs: NOON }));
  expect(await refers(`${expiring.funnelId}/${expiring.leadId}`, uuid)).toBe(false);
});

test.each<[FileKind, Buffer, sign: Buffer]>([
  ['jpg', aJpeg({ exif: anExif() }), LATITUDE],
  ['mov', anIsoFile('qt  ', box('moov', box('udta', Buffer.from('+52.5200+013.4050/')))), Buffer.from('52.5200')],
])('the sweeper blanks the location in a directly uploaded %s; the file keeps its length', async (kind, file, sign) => {
  const world = setUpSweep();
  const pending = { state: 'pending', isInspected: false, kind, size: file.length } as const;
  const upload = await storeAttached(world, true, pending);
  world.objects.set(upload.storagePath, file);
  expect(await sweepUploads(world.ports)).toEqual(new Map([['inspected', 1]]));
  expect(await readUpload(upload)).toMatchObject({ state: 'attached', isInspected: true });
  const clean = world.objects.get(upload.storagePath);
  expect(clean?.includes(sign)).toBe(false);
  expect(clean?.length).toBe(file.length);
  expect(await after(0.05, world)).toEqual(new Map([['referenced', 1]]));
});

test('a checked file is never replaced by content that is sent later', async () => {
  const world = setUpSweep();
  const image = aJpeg({ exif: anExif() });
  const upload = await storeUpload(anUpload({ state: 'pending', isInspected: false, kind: 'jpg', size: image.length }));
  const again = Buffer.alloc(image.length, '<svg onload=alert(1)>');
  world.incoming.set(upload.storagePath, image);
  const { attach } = createFileAttacher({
    uploads: createDynamoUploadRepository(),
    incoming: world.sent,
    clock: world.clock,
  });
  const file = { ...upload, leadId: randomUUID() };
  expect(await attach(file)).toBeUndefined();
  world.references.add(`${upload.funnelId}/${file.leadId} ${upload.uuid}`);
  world.incoming.set(upload.storagePath, again);
  expect(world.objects.get(upload.storagePath)).toEqual(image);
  expect(await sweepUploads(world.ports)).toEqual(new Map([['inspected', 1]]));
  expect(world.incoming.size).toBe(0);
  // The first content is sent again. A submit with an outdated record then promotes it.
  world.incoming.set(upload.storagePath, image);
  const { etag = '' } = (await world.sent.head(upload.storagePath, 1)) ?? {};
  expect(await world.sent.promote(upload.storagePath, etag)).toBe(true);
  const clean = world.objects.get(upload.storagePath);
  expect(clean?.length).toBe(image.length);
  expect(clean?.includes(LATITUDE)).toBe(false);
  expect(await attach({ ...file, leadId: randomUUID() })).toBeUndefined();
  world.references.clear();
  await after(8, world);
  expect([world.objects.size, world.incoming.size]).toEqual([0, 0]);
});

test('7 days after a direct upload, its content below `incoming/` is deleted if no lead refers to the file', async () => {
  const world = setUpSweep();
  const upload = await storeUpload(anUpload({ state: 'pending', isInspected: false }));
  world.incoming.set(upload.storagePath, aPng());
  expect(await after(7, world)).toEqual(new Map([['deleted', 1]]));
  expect(world.incoming.size).toBe(0);
});

test.each<[string, Buffer | undefined]>([
  ['contains macros that its first bytes do not show', anOfficeZip('word', 'word/vbaProject.bin')],
  ['is also an archive if it is read from its end', Buffer.concat([aJpeg(), anOfficeZip('word')])],
  ['is missing', undefined],
])(
  'a file that %s is rejected and deleted; while a lead refers to the file, its record stays as rejected',
  async (_, content) => {
    const world = setUpSweep();
    const size = content?.length ?? 1_000;
    const kind = content?.[0] === 0xff ? 'jpg' : 'docx';
    const upload = await storeAttached(world, true, { state: 'pending', isInspected: false, kind, size });
    if (content) world.objects.set(upload.storagePath, content);
    else world.objects.delete(upload.storagePath);
    const swept = await sweepUploads(world.ports);
    expect(swept.get('rejected')).toBe(1);
    expect(world.objects.size).toBe(0);
    expect(await readUpload(upload)).toMatchObject({ state: 'rejected' });
    expect(
      await createDynamoUploadRepository().addLeadReference({ ...upload, leadId: randomUUID() }, 'stored', NOON),
    ).toBe(false);
    world.references.clear();
    await after(8, world);
    expect(await readUpload(upload)).toBeUndefined();
  },
);

test('one run sweeps more files than one read of the due index returns', async () => {
  const world = setUpSweep();
  await Promise.all(Array.from({ length: 250 }, () => storeUpload(anUpload())));
  expect(await after(8, world)).toEqual(new Map([['deleted', 250]]));
});

test('a file that cannot be swept does not delay other files, and is retried', async () => {
  const world = setUpSweep();
  const [bad, good] = [await storeUpload(anUpload()), await storeUpload(anUpload())];
  const { delete: remove } = world.ports.files;
  world.ports.files.delete = async (path) => {
    if (path === bad.storagePath) throw new Error('not now');
    return remove(path);
  };
  world.clock.ms = NOON + 8 * DAY_MS;
  await expect(createHandler(world.ports)()).rejects.toThrow('Number of uploads that could not be processed: 1.');
  expect(await readUpload(good)).toBeUndefined();
  expect(await readUpload(bad)).toMatchObject({ state: 'deleting' });
  world.ports.files.delete = remove;
  expect(await after(8.1, world)).toEqual(new Map([['deleted', 1]]));
});

test('after a crash at any call of a port, each object has a record, and later runs delete all files without a lead', async () => {
  const scenarios = fc.record({
    expired: fc.boolean(),
    refers: fc.boolean(),
    isAttached: fc.boolean(),
    isInspected: fc.boolean(),
    dieAt: fc.nat(12),
  });
  await fc.assert(
    fc.asyncProperty(scenarios, async ({ expired, refers, isAttached, isInspected, dieAt }) => {
      const world = setUpSweep();
      const overrides = { isInspected, state: isInspected ? 'stored' : 'pending' } as const;
      const upload: Upload = isAttached
        ? await storeAttached(world, refers, overrides)
        : await storeUpload(anUpload(overrides));
      world.objects.set(upload.storagePath, aPng());
      world.incoming.set(upload.storagePath, aPng());
      world.clock.ms = NOON + (expired ? 8 : 1) * DAY_MS;
      await sweepUploads(crashingPorts(world.ports, dieAt)).catch(() => undefined);
      const record = await readUpload(upload);
      if (world.objects.size + world.incoming.size > 0) expect(record).toBeDefined();
      for (const days of [9, 10, 20]) await after(days, world);
      const remains = isAttached && refers;
      expect([world.objects.size, (await readUpload(upload)) !== undefined]).toEqual([remains ? 1 : 0, remains]);
      world.references.clear();
      await after(10_000, world);
      expect([world.objects.size, world.incoming.size]).toEqual([0, 0]);
    }),
    { numRuns: 60 },
  );
});
