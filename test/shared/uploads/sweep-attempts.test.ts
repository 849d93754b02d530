import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createDynamoUploadLocator } from '../../../infra/cli/uploads/dynamo-upload-locator.ts';
import { createFileLink } from '../../../infra/cli/uploads/file-link.ts';
import { createFileAttacher } from '../../../shared/uploads/attach-file.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { sanitizeStoredContent } from '../../../shared/uploads/content/sanitize-content.ts';
import type { FileKind } from '../../../shared/uploads/file-type.ts';
import { sweepUploads, type UploadSweepPorts } from '../../../shared/uploads/sweep-uploads.ts';
import type { Upload } from '../../../shared/uploads/upload.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { HOSTILE_HEICS } from '../../support/uploads/hostile-files.ts';
import { aPng } from '../../support/uploads/sample-files.ts';
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

type World = ReturnType<typeof setUpSweep>;

const MINUTE_MS = 60_000;
const RUN_LIMIT_MS = 120_000;

/** Processes all due uploads of earlier tests, so that the next test does not sweep them. */
beforeEach(async () => {
  const { ports } = setUpSweep(NOON + 10_000 * DAY_MS);
  while ((await sweepUploads(ports)).size > 0);
});

const BAD = Buffer.from('the inspection of this content never returns');
const isBad = (content: Buffer) => content.equals(BAD);
const loop = (): never => {
  for (;;) Math.random();
};

/** Hangs like `loop`, but takes no processor time from other tests. */
const hang = (): never => {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) Atomics.wait(never, 0, 0);
};

/** Stores a direct upload to which a lead refers, and which is due for inspection. */
async function storeDueUpload(
  world: World,
  content: Buffer,
  attachedAtMs = NOON,
  kind: FileKind = 'png',
): Promise<Upload> {
  const upload = await storeUpload(anUpload({ state: 'pending', isInspected: false, size: content.length, kind }));
  const file = { ...upload, leadId: randomUUID() };
  expect(await createDynamoUploadRepository().addLeadReference(file, 'pending', attachedAtMs)).toBe(true);
  world.objects.set(upload.storagePath, content);
  world.references.add(`${upload.funnelId}/${file.leadId} ${upload.uuid}`);
  return upload;
}

const inspecting = (world: World, bad: () => never): UploadSweepPorts => ({
  ...world.ports,
  inspect: (content, kind) => (isBad(content) ? bad() : sanitizeStoredContent(content, kind)),
});

/** Makes the clock start at `atMs` and run as fast as the real clock. */
function runClock(world: World, atMs: number): void {
  const startMs = Date.now();
  world.clock.now = () => atMs + Date.now() - startMs;
}

test('if the inspections of 100 files hang, the run still inspects a later valid file and ends within 120 s', async () => {
  const world = setUpSweep();
  const bad = await Promise.all(Array.from({ length: 100 }, () => storeDueUpload(world, BAD, NOON - MINUTE_MS)));
  const good = await storeDueUpload(world, aPng());
  runClock(world, NOON + MINUTE_MS);
  const startMs = Date.now();
  const swept = await sweepUploads(inspecting(world, hang));
  expect(Date.now() - startMs).toBeLessThan(RUN_LIMIT_MS);
  expect([swept.get('inspection_postponed'), swept.get('inspected')]).toEqual([bad.length, 1]);
  expect(await readUpload(good)).toMatchObject({ isInspected: true });
}, 180_000);

test('a run over 100 hostile images still inspects a later valid file and ends within 120 s', async () => {
  const world = setUpSweep();
  const image = HOSTILE_HEICS['items of one id, with empty extents']?.() ?? Buffer.alloc(0);
  const bad = await Promise.all(
    Array.from({ length: 100 }, () => storeDueUpload(world, image, NOON - MINUTE_MS, 'heic')),
  );
  const good = await storeDueUpload(world, aPng());
  runClock(world, NOON + MINUTE_MS);
  const startMs = Date.now();
  await sweepUploads(world.ports);
  expect(Date.now() - startMs).toBeLessThan(RUN_LIMIT_MS);
  expect(await readUpload(good)).toMatchObject({ isInspected: true });
  const records = await Promise.all(bad.map(readUpload));
  expect(records.every((record) => record?.isInspected === true || record?.attempts === 1)).toBe(true);
}, 180_000);

test('if the record of one upload cannot be read, the other uploads are swept', async () => {
  const world = setUpSweep();
  const unreadable = await storeDueUpload(world, aPng());
  const others = await Promise.all(Array.from({ length: 8 }, () => storeDueUpload(world, aPng())));
  const { find } = world.ports.uploads;
  world.ports.uploads.find = async (orgId, uuid) => (uuid === unreadable.uuid ? fail() : find(orgId, uuid));
  const swept = await sweepUploads(world.ports);
  expect(swept.get('inspected')).toBe(others.length);
  expect(swept.get('error')).toBeGreaterThan(0);
  expect(world.logged).toContain('An upload could not be processed. A later run retries it.');
});

test('a file with a failed inspection is inspected last, even after newer files', async () => {
  const world = setUpSweep();
  const bad = await storeDueUpload(world, BAD);
  await sweepUploads(inspecting(world, loop));
  expect(await readUpload(bad)).toMatchObject({ state: 'attached', attempts: 1 });
  const order: string[] = [];
  const ports = inspecting(world, () => {
    order.push('bad');
    throw new Error('not readable');
  });
  const { inspect } = ports;
  ports.inspect = (content, kind) => {
    if (!isBad(content)) order.push('good');
    return inspect(content, kind);
  };
  await storeDueUpload(world, aPng(), NOON + 10 * MINUTE_MS);
  world.clock.ms = NOON + 10 * MINUTE_MS;
  await sweepUploads(ports);
  expect(order).toEqual(['good', 'bad']);
});

test('a file that cannot be inspected is rejected after three attempts and deleted, and never becomes available', async () => {
  const world = setUpSweep();
  const bad = await storeDueUpload(world, BAD);
  const results = [];
  for (const minutes of [0, 5, 10]) {
    world.clock.ms = NOON + minutes * MINUTE_MS;
    results.push([...(await sweepUploads(inspecting(world, () => fail()))).keys()][0]);
  }
  expect(results).toEqual(['inspection_postponed', 'inspection_postponed', 'inspection_abandoned']);
  expect(world.objects.size).toBe(0);
  expect(await readUpload(bad)).toMatchObject({ state: 'rejected', reason: 'not_inspectable' });
  expect(world.logged).toContain('An uploaded file could not be inspected in any attempt.');
  const { attach } = createFileAttacher({
    uploads: createDynamoUploadRepository(),
    incoming: world.sent,
    clock: world.clock,
  });
  expect(await attach({ ...bad, leadId: randomUUID() })).toBe(
    'The file was rejected, because it could not be inspected. Upload another file.',
  );
  const link = {
    uploads: createDynamoUploadLocator(),
    sign: async () => ({ url: '', expiresAt: '' }),
    clock: world.clock,
  };
  await expect(createFileLink(link, bad)).rejects.toThrow('could not be inspected');
});

const fail = (): never => {
  throw new RangeError('a parser failed');
};

test('while an inspection is retried, the file is found by its uuid, but has no download link', async () => {
  const world = setUpSweep();
  const bad = await storeDueUpload(world, BAD);
  await sweepUploads(inspecting(world, fail));
  expect(await createDynamoUploadLocator().findInAnyOrganization(bad.uuid)).toMatchObject({
    uuid: bad.uuid,
    attempts: 1,
  });
  const link = {
    uploads: createDynamoUploadLocator(),
    sign: async () => ({ url: '', expiresAt: '' }),
    clock: world.clock,
  };
  await expect(createFileLink(link, { uuid: bad.uuid })).rejects.toThrow('not inspected yet');
});

test('if a submit attaches a file between two inspections, the number of attempts and the due time stay', async () => {
  const world = setUpSweep();
  const bad = await storeDueUpload(world, BAD);
  await sweepUploads(inspecting(world, fail));
  const before = await readUpload(bad);
  expect(
    await createDynamoUploadRepository().addLeadReference({ ...bad, leadId: randomUUID() }, 'stored', NOON + MINUTE_MS),
  ).toBe(true);
  expect(await readUpload(bad)).toMatchObject({ attempts: 1, dueAtMs: before?.dueAtMs });
});

test('a failure of the store does not count as an attempt to inspect a file', async () => {
  const world = setUpSweep();
  const good = await storeDueUpload(world, aPng());
  const { get } = world.ports.files;
  for (const minutes of [0, 20, 40, 60]) {
    world.clock.ms = NOON + minutes * MINUTE_MS;
    const ports = { ...world.ports, inspect: () => 'altered' as const };
    ports.files = { ...world.ports.files, put: async () => Promise.reject(new Error('no store')) };
    expect([...(await sweepUploads(ports)).keys()]).toEqual(['error']);
  }
  expect((await readUpload(good))?.attempts).toBeUndefined();
  world.ports.files.get = get;
  world.clock.ms = NOON + 80 * MINUTE_MS;
  expect((await sweepUploads(world.ports)).get('inspected')).toBe(1);
});

/** The ports of a process that crashes during the inspection of a bad file. After the crash, all calls fail. */
function crashingDuringInspection(world: World): UploadSweepPorts {
  let hasCrashed = false;
  const alive = inspecting(world, () => {
    hasCrashed = true;
    throw new Error('killed');
  });
  const failAfterCrash = <T extends object>(calls: T): T =>
    new Proxy(calls, {
      get: (of, name) => {
        const call = Reflect.get(of, name) as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => (hasCrashed ? Promise.reject(new Error('killed')) : call(...given));
      },
    });
  return { ...alive, uploads: failAfterCrash(alive.uploads), files: failAfterCrash(alive.files) };
}

test('each bad file crashes at most three runs, and delays a good file by at most one run', async () => {
  const world = setUpSweep();
  const bad = await Promise.all(Array.from({ length: 6 }, () => storeDueUpload(world, BAD, NOON - MINUTE_MS)));
  const good = await storeDueUpload(world, aPng());
  let runs = 0;
  let goodAfter: number | undefined;
  const areDone = async () => (await Promise.all(bad.map(readUpload))).every((record) => record?.state === 'rejected');
  while (!(await areDone()) && runs < 30) {
    runs++;
    world.clock.ms = NOON + runs * 5 * MINUTE_MS;
    await sweepUploads(crashingDuringInspection(world)).catch(() => undefined);
    const isInspected = (await readUpload(good))?.isInspected === true;
    if (isInspected) goodAfter ??= runs;
  }
  expect(goodAfter).toBeLessThanOrEqual(bad.length + 1);
  expect(runs).toBeLessThanOrEqual(3 * bad.length + 1);
  expect(await readUpload(good)).toMatchObject({ state: 'attached', isInspected: true });
  expect(world.objects.has(good.storagePath)).toBe(true);
});

test('if a file crashes the process, no attempt is counted for the other files of the run', async () => {
  const world = setUpSweep();
  const bad = await storeDueUpload(world, BAD, NOON - MINUTE_MS);
  const others = await Promise.all(Array.from({ length: 3 }, () => storeDueUpload(world, aPng())));
  await sweepUploads(crashingDuringInspection(world)).catch(() => undefined);
  expect(await readUpload(bad)).toMatchObject({ attempts: 1 });
  for (const other of others) expect((await readUpload(other))?.attempts).toBeUndefined();
});

test('after a crash at any call of a port in a run, the next run inspects the file', async () => {
  for (let dieAt = 0; dieAt < 10; dieAt++) {
    const world = setUpSweep();
    const good = await storeDueUpload(world, aPng());
    await sweepUploads(crashingPorts(world.ports, dieAt)).catch(() => undefined);
    world.clock.ms = NOON + 20 * MINUTE_MS;
    await sweepUploads(world.ports);
    expect([dieAt, await readUpload(good)]).toEqual([dieAt, expect.objectContaining({ isInspected: true })]);
    expect(world.objects.has(good.storagePath)).toBe(true);
  }
});
