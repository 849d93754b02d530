import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { readLimitUsage } from '../../../infra/cli/limits/effective-limits.ts';
import { UploadBlock } from '../../../shared/funnels/upload-block.ts';
import { createDynamoRateLimiter, refundUnits } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { createFileAttacher } from '../../../shared/uploads/attach-file.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { sweepUploads } from '../../../shared/uploads/sweep-uploads.ts';
import { DIRECT_UPLOAD_TTL_SECONDS, type FileRecord } from '../../../shared/uploads/upload.ts';
import { startDirectUpload, storeFile } from '../../../shared/uploads/upload-file.ts';
import { createReservationRelease, dailyClientQuotas, dailyUploadQuota } from '../../../shared/uploads/upload-quota.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { aPdf } from '../../support/uploads/sample-files.ts';
import { crashingPorts, DAY_MS, setUpSweep } from '../../support/uploads/stored-uploads.ts';
import { NOON } from '../../support/uploads/upload-api.ts';

useDynamo();

const MINUTE_MS = 60_000;

/** Processes all due uploads of earlier tests, so that the next test does not sweep them. */
beforeEach(async () => {
  const { ports } = setUpSweep(NOON + 10_000 * DAY_MS);
  while ((await sweepUploads(ports)).size > 0);
});
const PDF = { name: 'plan.pdf', mimeType: 'application/pdf' };

/** Records are in DynamoDB, and objects are in memory. The clock starts at noon. */
function setUp(limits: Organization['limits'] = {}) {
  const world = setUpSweep(NOON);
  const { clock } = world;
  const organization = Organization.parse({ id: randomUUID(), name: 'Northlight', limits });
  const block = UploadBlock.parse({ id: randomUUID(), kind: 'upload', funnelId: randomUUID(), bytesMax: 100_000_000 });
  world.ports.releaseReservation = createReservationRelease(refundUnits, world.ports.log);
  const ports = {
    organizations: { find: async () => organization },
    blocks: { find: async () => block },
    uploads: createDynamoUploadRepository(),
    files: { put: async (path: string, content: Buffer) => void world.objects.set(path, content) },
    presign: async () => ({ url: '', fields: {}, expiresAt: '' }),
    limiter: createDynamoRateLimiter({ clock }),
    clock,
    ids: systemIdGenerator,
  };
  const target = { organizationId: organization.id, blockId: block.id };
  const addressOf = (network: string) => ({ network: `${network} of ${organization.id}`, site: undefined });
  const { log } = world.ports;
  return {
    ...world,
    reserve: async (size: number, network = 'one') =>
      (await startDirectUpload(ports, { ...target, ...PDF, size }, { client: addressOf(network), log })).data,
    receive: (content: Buffer, network = 'one') =>
      storeFile(ports, { ...target, file: { name: PDF.name, content } }, { client: addressOf(network), log }),
    counted: () => readLimitUsage(dailyUploadQuota(organization.id, {}), clock),
    countedOf: async (network: string) => {
      const [window] = dailyClientQuotas(addressOf(network));
      return window === undefined ? 0 : readLimitUsage(window, clock);
    },
    attach: ({ uuid }: FileRecord) => {
      const file = { uuid, orgId: organization.id, funnelId: block.funnelId, blockId: block.id, leadId: randomUUID() };
      return createFileAttacher({ uploads: createDynamoUploadRepository(), incoming: world.sent, clock }).attach(file);
    },
  };
}

test('429: reserved bytes of unsent files use up the daily quota until a sweep releases the bytes', async () => {
  const world = setUp({ uploadBytesPerDay: 200_000_000 });
  await Promise.all([world.reserve(100_000_000, 'one'), world.reserve(100_000_000, 'two')]);
  const refused = { status: 429, headers: expect.objectContaining({ 'Retry-After': expect.any(String) }) };
  await expect(world.reserve(1, 'three')).rejects.toMatchObject(refused);
  world.clock.ms = NOON + 20 * MINUTE_MS;
  expect(await sweepUploads(world.ports)).toEqual(new Map([['reservation_released', 2]]));
  expect([await world.counted(), await world.countedOf('one')]).toEqual([0, 0]);
  await world.reserve(100_000_000, 'three');
});

test('429: one client address can upload at most 1 GB a day, and another address can still upload', async () => {
  const world = setUp();
  for (let file = 0; file < 10; file++) await world.reserve(100_000_000);
  await expect(world.reserve(1)).rejects.toMatchObject({ status: 429 });
  await expect(world.receive(aPdf())).rejects.toMatchObject({ status: 429 });
  await world.reserve(1, 'two');
  expect(await world.counted()).toBe(1_000_000_001);
});

test('a file that was sent stays counted towards the daily quota, even if no lead refers to the file', async () => {
  const world = setUp();
  const { storagePath } = await world.reserve(aPdf().length);
  world.incoming.set(storagePath, aPdf());
  world.clock.ms = NOON + 20 * MINUTE_MS;
  expect(await sweepUploads(world.ports)).toEqual(new Map([['arrived', 1]]));
  expect(await world.counted()).toBe(aPdf().length);
  expect(await sweepUploads(world.ports)).toEqual(new Map());
});

test('a file that was not sent in time cannot be attached', async () => {
  const world = setUp();
  const file = await world.reserve(aPdf().length);
  world.clock.ms = NOON + 20 * MINUTE_MS;
  await sweepUploads(world.ports);
  world.incoming.set(file.storagePath, aPdf());
  expect(await world.attach(file)).toContain('no uploaded file');
});

test('despite a crash at any call of a port, the sweeper refunds an unsent file at most once, and a sent file never', async () => {
  for (let dieAt = 0; dieAt < 12; dieAt++) {
    const world = setUp();
    const sent = await world.reserve(aPdf().length);
    await world.reserve(1_000);
    world.incoming.set(sent.storagePath, aPdf());
    world.clock.ms = NOON + 20 * MINUTE_MS;
    await sweepUploads(crashingPorts(world.ports, dieAt)).catch(() => undefined);
    world.clock.ms = NOON + 60 * MINUTE_MS;
    await sweepUploads(world.ports);
    await sweepUploads(world.ports);
    expect([aPdf().length, aPdf().length + 1_000]).toContain(await world.counted());
  }
});

const LIMIT = 5 * aPdf().length;
const step = fc.oneof(
  fc.record({ does: fc.constant('reserve' as const), network: fc.constantFrom('one', 'two') }),
  fc.record({ does: fc.constantFrom('send' as const, 'attach' as const), file: fc.nat(5) }),
  fc.record({ does: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 16 }) }),
  fc.record({ does: fc.constant('sweep' as const) }),
);

test('in any order of actions, a daily quota counts all bytes that arrived, and never exceeds its limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const world = setUp({ uploadBytesPerDay: LIMIT });
      const files: (FileRecord & { atMs: number })[] = [];
      const arrived = new Set<string>();
      for (const now of steps) {
        const file = 'file' in now ? files[now.file] : undefined;
        if (now.does === 'reserve') {
          const made = await world.reserve(aPdf().length, now.network).catch(() => undefined);
          if (made) files.push({ ...made, atMs: world.clock.ms });
        } else if (now.does === 'wait') world.clock.ms += now.minutes * MINUTE_MS;
        else if (now.does === 'sweep') await sweepUploads(world.ports);
        else if (now.does === 'send' && file && world.clock.ms < file.atMs + DIRECT_UPLOAD_TTL_SECONDS * 1_000) {
          world.incoming.set(file.storagePath, aPdf());
          arrived.add(file.uuid);
        } else if (now.does === 'attach' && file) await world.attach(file);
        const counted = await world.counted();
        expect(counted).toBeGreaterThanOrEqual(arrived.size * aPdf().length);
        expect(counted).toBeLessThanOrEqual(LIMIT);
      }
      world.clock.ms += 20 * MINUTE_MS;
      await sweepUploads(world.ports);
      expect(await world.counted()).toBe(arrived.size * aPdf().length);
      const ofBoth = (await world.countedOf('one')) + (await world.countedOf('two'));
      expect(ofBoth).toBe(arrived.size * aPdf().length);
    }),
    { numRuns: 25 },
  );
}, 120_000);
