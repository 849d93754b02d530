import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sweepPageWrites } from '../../../../shared/landing-pages/sweep-page-writes.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import {
  aWorld,
  type CopyWorld,
  expectCompletePages,
  expectNoLeftovers,
  FAULTS,
  faulty,
  sweepPortsOf,
  withFault,
} from '../../../support/landing-pages/copy-crashes.ts';

useDynamo();

const bodyFor = ({ away }: CopyWorld) => ({ targetOrganizationId: away.orgId, copyAssets: true });
const idIn = ({ body }: { body: unknown }) => (body as { landingPageId?: string }).landingPageId;

async function countPortCalls(): Promise<number> {
  const world = await aWorld();
  const { ports, state } = faulty(world.ports, -1, (perform) => perform());
  const response = await world.copy(bodyFor(world), {
    pageId: world.source.page.id,
    headers: { 'idempotency-key': randomUUID() },
    with: ports,
  });
  expect(response.status).toBe(201);
  return state.effects;
}

for (const fault of FAULTS) {
  for (const sweeps of [false, true]) {
    test(`if any call of a copy has the fault "${fault}", a retry${sweeps ? ' after a sweep' : ''} returns one complete page`, async () => {
      const calls = await countPortCalls();
      for (let at = 0; at < calls; at++) {
        const world = await aWorld();
        const request = { pageId: world.source.page.id, headers: { 'idempotency-key': randomUUID() } };
        const first = await world.copy(bodyFor(world), { ...request, with: withFault(world.ports, at, fault).ports });
        await expectCompletePages(world);
        world.clock.ms += sweeps ? 15 * 60_000 : 31_000;
        if (sweeps) await sweepPageWrites(sweepPortsOf(world));
        const second = await world.copy(bodyFor(world), request);
        expect(second.status).toBe(201);
        if (first.status === 201) expect(idIn(second)).toBe(idIn(first));
        expect(await expectCompletePages(world)).toEqual([idIn(second)]);
        await expectNoLeftovers(world);
        expect(await expectCompletePages(world)).toEqual([idIn(second)]);
      }
    });
  }
}

test('if a killed copy is not retried, a sweep leaves only complete pages', async () => {
  const calls = await countPortCalls();
  for (let at = 0; at < calls; at++) {
    const world = await aWorld();
    const request = { pageId: world.source.page.id };
    await world.copy(bodyFor(world), { ...request, with: withFault(world.ports, at, 'killed before').ports });
    await expectNoLeftovers(world);
  }
});

test('if a copy pauses at any port call while a sweep and a retry run, only one page is created', async () => {
  const calls = await countPortCalls();
  for (let at = 0; at < calls; at++) {
    const world = await aWorld();
    const request = { pageId: world.source.page.id, headers: { 'idempotency-key': randomUUID() } };
    const waiting = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const { ports } = faulty(world.ports, at, async (perform) => {
      arrived.resolve();
      await waiting.promise;
      return perform();
    });
    const paused = world.copy(bodyFor(world), { ...request, with: ports });
    await arrived.promise;
    world.clock.ms += 15 * 60_000;
    await sweepPageWrites(sweepPortsOf(world));
    const second = await world.copy(bodyFor(world), request);
    waiting.resolve();
    const first = await paused;
    expect(second.status).toBe(201);
    if (first.status === 201) expect(idIn(first)).toBe(idIn(second));
    else expect(first.status).toBe(503);
    expect(await expectCompletePages(world)).toEqual([idIn(second)]);
    await expectNoLeftovers(world);
  }
});

test('if the sweep of a killed copy is itself killed at any step, the next sweep deletes the remains', async () => {
  for (const at of [0, 1, 2]) {
    const world = await aWorld();
    const before = withFault(world.ports, 5, 'killed before').ports;
    await world.copy(bodyFor(world), { pageId: world.source.page.id, with: before });
    world.clock.ms += 15 * 60_000;
    const ports = sweepPortsOf(world);
    let step = 0;
    const crashing =
      <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
      async (...given: A): Promise<R> => {
        if (step++ >= at) throw new Error('killed');
        return call(...given);
      };
    await sweepPageWrites({
      ...ports,
      tombstones: { ...ports.tombstones, putTombstone: crashing(ports.tombstones.putTombstone) },
      deleter: {
        ...ports.deleter,
        deletePageAssets: crashing(ports.deleter.deletePageAssets),
        deleteParts: crashing(ports.deleter.deleteParts),
      },
    });
    await expectNoLeftovers(world);
    expect(await expectCompletePages(world)).toEqual([]);
  }
});
