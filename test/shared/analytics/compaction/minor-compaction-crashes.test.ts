import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importFacts } from '../../../../infra/local/seed/import-facts.ts';
import {
  type MinorCompactionPorts,
  runMinorCompactions,
} from '../../../../shared/analytics/compaction/minor-compaction.ts';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import { readOverview } from '../../../../shared/analytics/queries/overview.ts';
import type { SnapshotPorts } from '../../../../shared/analytics/queries/snapshot.ts';
import {
  addFresh,
  asNewProcess,
  createMemoryAnalytics,
  DAY_MS,
  expectedOverview,
  MAY_31,
  someEvent,
} from '../../../support/analytics/analytics.ts';

const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';
const ALWAYS = { since: 0, untilMs: MAY_31 + 9 * DAY_MS, timeZone: 'UTC' };
const clock = { now: () => MAY_31 };

type Stores = ReturnType<typeof createMemoryAnalytics>;
type Around = <T>(effect: () => Promise<T>) => Promise<T>;

/** Returns ports of these stores. They pass each call of a method to `around`, which can simulate a crash. */
function intercept(stores: Stores, around: Around): MinorCompactionPorts & SnapshotPorts {
  const wrapped = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, method) => {
        const effect: unknown = Reflect.get(target, method);
        return typeof effect === 'function' ? (...given: unknown[]) => around(() => effect(...given)) : effect;
      },
    });
  return asNewProcess({
    fresh: wrapped(stores.fresh),
    manifests: wrapped(stores.manifests),
    factReader: wrapped(stores.factReader),
    writer: wrapped(stores.writer),
    clock,
  });
}

const read = (stores: Stores) => readOverview(stores, FUNNEL, { range: ALWAYS, filters: {} });
const expected = (events: readonly Fact[]) => expectedOverview(events, { sinceMs: 0, untilMs: ALWAYS.untilMs });

/** The process ends before effect number `at`, or after this effect. In both cases, it gets no response. */
type Crash = { at: number; when: 'before' | 'after' };

function crashing(crash: Crash, observe: () => Promise<void>): Around {
  let effects = 0;
  return async (effect) => {
    effects++;
    if (effects >= crash.at && crash.when === 'before') throw new Error('crashed');
    const reply = await effect();
    await observe();
    if (effects >= crash.at) throw new Error('crashed');
    return reply;
  };
}

const someStep = fc.oneof(
  fc.record({ add: fc.array(someEvent, { minLength: 1, maxLength: 5 }) }),
  fc.record({ crash: fc.record({ at: fc.integer({ min: 1, max: 6 }), when: fc.constantFrom('before', 'after') }) }),
);

test('the overview counts all events at every instant, even if minor compactions crash at any step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someEvent), fc.array(someStep, { maxLength: 12 }), async (imported, steps) => {
      const stores = createMemoryAnalytics();
      const events = [...imported];
      await importFacts(stores, FUNNEL, imported);
      const observe = async () => expect(await read(stores)).toEqual(expected(events));
      for (const step of steps) {
        if ('add' in step) {
          await addFresh(stores.fresh, FUNNEL, step.add);
          events.push(...step.add);
        } else await runMinorCompactions(intercept(stores, crashing(step.crash, observe))).catch(() => undefined);
        await observe();
      }
      await runMinorCompactions({ ...stores, clock });
      await observe();
      expect(await stores.fresh.listPendingFunnels()).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('every read counts all events, in any interleaving with two minor compactions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someEvent, { minLength: 1 }), fc.scheduler(), async (events, scheduler) => {
      const stores = createMemoryAnalytics();
      for (const event of events) await addFresh(stores.fresh, FUNNEL, [event]);
      let step = 0;
      const ports = intercept(stores, (effect) => scheduler.schedule(Promise.resolve(), `step ${++step}`).then(effect));
      const compactions = [runMinorCompactions(ports), runMinorCompactions(ports)];
      const reads = [1, 2, 3].map(() => readOverview(ports, FUNNEL, { range: ALWAYS, filters: {} }));
      const results = scheduler.waitFor(Promise.all(reads));
      expect(await results).toEqual([expected(events), expected(events), expected(events)]);
      await scheduler.waitFor(Promise.all(compactions));
      expect(await read(stores)).toEqual(expected(events));
      expect(await stores.fresh.listPendingFunnels()).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
