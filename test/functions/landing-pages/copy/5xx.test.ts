import { expect, test } from 'vitest';
import { HttpError } from '../../../../shared/http/errors.ts';
import { sweepPageWrites } from '../../../../shared/landing-pages/sweep-page-writes.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import {
  aWorld,
  expectCompletePages,
  expectNoLeftovers,
  sweepPortsOf,
} from '../../../support/landing-pages/copy-crashes.ts';

useDynamo();

const bodyFor = (world: Awaited<ReturnType<typeof aWorld>>) => ({
  targetOrganizationId: world.away.orgId,
  copyAssets: true,
});
const unavailable = async () => {
  throw new HttpError(503, 'Assets cannot be copied right now.', { headers: { 'Retry-After': '1' } });
};

test('503: if a file cannot be copied, no page is created, the quota is refunded, and the sweeper deletes the copied files', async () => {
  const world = await aWorld();
  const { ports, copy, files, source } = world;
  let calls = 0;
  const failing = { copy: (from: string, to: string) => (calls++ === 1 ? unavailable() : files.copy(from, to)) };
  const response = await copy(bodyFor(world), { pageId: source.page.id, with: { ...ports, files: failing } });
  expect(response).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  expect(response.headers).toHaveProperty('retry-after');
  expect(await expectCompletePages(world)).toEqual([]);
  expect(world.limits.taken('upload-bytes-day')).toBe(0);
  expect(files.objects.size).toBeGreaterThan(3);
  world.clock.ms += 2 * 60_000;
  expect(await sweepPageWrites(sweepPortsOf(world))).toEqual(new Map([['rolled_back', 1]]));
  expect(files.objects.size).toBe(3);
  await expectNoLeftovers(world);
});

test('500: if copying a file throws an unknown error, the response has no details, and a sweep removes the incomplete copy', async () => {
  const world = await aWorld();
  const broken = {
    copy: async () => {
      throw new TypeError('secret detail');
    },
  };
  const response = await world.copy(bodyFor(world), {
    pageId: world.source.page.id,
    with: { ...world.ports, files: broken },
  });
  expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  expect(response.text).not.toContain('secret');
  expect(await expectCompletePages(world)).toEqual([]);
  await expectNoLeftovers(world);
});

test('503: a copy that takes too long is cancelled before the gateway times out; a sweep then removes the copied files', async () => {
  const world = await aWorld();
  const { files, clock } = world;
  const slow = {
    copy: (from: string, to: string) => {
      clock.ms += 15_000;
      return files.copy(from, to);
    },
  };
  const response = await world.copy(bodyFor(world), {
    pageId: world.source.page.id,
    with: { ...world.ports, files: slow },
  });
  expect(response.status).toBe(503);
  expect(world.limits.taken('upload-bytes-day')).toBe(0);
  await expectNoLeftovers(world);
  expect(await expectCompletePages(world)).toEqual([]);
});

test('503: copies nothing if the daily upload quota cannot be checked', async () => {
  const world = await aWorld();
  const limiter = { consume: unavailable };
  const response = await world.copy(bodyFor(world), {
    pageId: world.source.page.id,
    with: { ...world.ports, limiter },
  });
  expect(response.status).toBe(503);
  expect(world.files.objects.size).toBe(3);
  await expectNoLeftovers(world);
});
