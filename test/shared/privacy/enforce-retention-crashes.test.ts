import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, retentionWorld } from '../../support/privacy/retention.ts';
import { HOUR_MS } from '../../support/training/calls.ts';
import { remainsOf } from '../../support/training/erasures.ts';
import { createFaultInjector, FAULTS } from '../../support/training/lifecycle-runs.ts';

test.each(FAULTS)(
  'after a retention run with the fault “%s” at any invocation of a port, later runs erase all due data',
  async (fault) => {
    const made = () => {
      const world = retentionWorld();
      const orgId = world.organization({ leadDays: 2, callDays: 3, recordingDays: 2 });
      const funnel = world.funnel(orgId);
      const leads = [world.lead(funnel, 2 * DAY_MS), world.lead(funnel, DAY_MS)];
      const calls = [world.call(orgId, 3 * DAY_MS), world.call(orgId, 2 * DAY_MS), world.call(orgId, DAY_MS)];
      return { world, leads, calls, funnel };
    };
    const { process, seen } = createFaultInjector(() => undefined);
    await made().world.run(process());
    expect(seen.length).toBeGreaterThan(25);
    for (const at of seen.keys()) {
      const { world, calls, leads, funnel } = made();
      const failing = createFaultInjector((effect) => (effect === at ? fault : undefined));
      await world.run(failing.process()).catch(() => undefined);
      // An interrupted erasure of a call needs more than one further run.
      for (let run = 0; run < 3; run++) {
        await world.run();
        world.clock.ms += 2 * HOUR_MS;
      }
      const [old, middle, young] = calls.map((call) => remainsOf(world, call).length);
      const of = `${seen[at]} ${fault}`;
      expect({ of, old, middle, young }).toEqual({ of, old: 0, middle: 5, young: 7 });
      expect({ of, leads: [...funnel.leads.keys()] }).toEqual({ of, leads: leads.slice(1) });
    }
  },
);

test('in any interleaving, two concurrent runs and a later run erase exactly the due data, and each due lead once', () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const world = retentionWorld();
      const orgId = world.organization({ leadDays: 2, callDays: 3, recordingDays: 2 });
      const funnel = world.funnel(orgId);
      for (const days of [1, 2, 3]) world.lead(funnel, days * DAY_MS);
      const calls = [4, 3, 2, 1].map((days) => world.call(orgId, days * DAY_MS));
      const scheduled = <T>(_: string, work: () => Promise<T>) => scheduler.schedule(Promise.resolve()).then(work);
      await scheduler.waitFor(Promise.all([world.run(scheduled), world.run(scheduled)]));
      expect(world.leadErased).toHaveLength(2);
      world.clock.ms += HOUR_MS;
      await world.run();
      expect(calls.map((call) => remainsOf(world, call).length)).toEqual([0, 0, 5, 7]);
    }),
    { numRuns: 100 },
  ));

test('if an organization needs more than one run, it is counted as unfinished, and the run also processes the others', async () => {
  const world = retentionWorld();
  const large = world.organization({ callDays: 1 });
  const small = world.organization({ callDays: 1 });
  for (let at = 0; at < 2_000; at++) world.call(large, 2 * DAY_MS + at);
  const call = world.call(small, 2 * DAY_MS);
  const startMs = world.clock.ms;
  const counts = await world.run((effect, work) => {
    if (effect === 'voice.deleteConversation') world.clock.ms += 1_000;
    return work();
  });
  expect(counts).toMatchObject({ calls_erased: expect.any(Number), organizations_unfinished: 1 });
  expect(remainsOf(world, call)).toEqual(['erasure record']);
  expect(world.clock.ms - startMs).toBeLessThan(14 * 60_000);
  expect(counts.calls_erased).toBeGreaterThan(700);
});

test('an organization that cannot be read is counted as failed, and does not delay other organizations', async () => {
  const world = retentionWorld();
  const [broken, fine] = [world.organization({ callDays: 1 }), world.organization({ callDays: 1 })];
  world.organizations.delete(broken);
  Object.defineProperty(world.organizations, 'keys', { value: () => [broken, fine].values() });
  const call = world.call(fine, 2 * DAY_MS);
  let reads = 0;
  const counts = await world.run((effect, work) => {
    if (effect === 'directory.find' && ++reads === 1) throw new Error('torn');
    return work();
  });
  expect([counts, remainsOf(world, call)]).toEqual([{ organizations_failed: 1, calls_erased: 1 }, ['erasure record']]);
});
