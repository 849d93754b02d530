import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type EraseSessionsPorts, eraseSessions } from '../../../../../infra/cli/analytics/erasure/erase-sessions.ts';
import { rebuildFacts } from '../../../../../infra/cli/analytics/rebuild/rebuild-facts.ts';
import { MAY_31 } from '../../../../support/analytics/analytics.ts';
import { createErasureWorld, keysOf, keysStored } from '../../../../support/analytics/erasure-world.ts';
import { MARGIN_MS, type MaintenanceWorld, pass, someRow } from '../../../../support/analytics/maintenance-world.ts';
import { aLine, FUNNEL } from '../../../../support/analytics/memory-stores.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: MAY_31 }));
afterEach(() => void vi.useRealTimers());

const someStep = fc.oneof(
  fc.record({ arrive: fc.array(someRow, { minLength: 1, maxLength: 3 }), delayMs: fc.nat({ max: MARGIN_MS }) }),
  fc.record({ passMs: fc.constantFrom(1, MARGIN_MS, 3 * MARGIN_MS) }),
  fc.record({ compact: fc.constantFrom('minor' as const, 'major' as const) }),
);
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

async function take(step: Step, { arrive, compact, land }: MaintenanceWorld): Promise<void> {
  if ('arrive' in step) await arrive(step.arrive, step.delayMs);
  else if ('passMs' in step) pass(step.passMs);
  else await compact(step.compact);
  land();
}

/**
 * Wraps the functions of the ports, except `withLease` and functions that list data. Before each call, takes the next
 * of `steps`, as if another process changed data. The call with the number `crash.at` throws before or after its work,
 * as if the process crashed.
 */
function crashing(
  ports: EraseSessionsPorts,
  steps: Step[],
  world: MaintenanceWorld,
  crash: { at: number; when: string },
): EraseSessionsPorts {
  let effects = 0;
  const wrapped = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, method) => {
        const effect: unknown = Reflect.get(target, method);
        if (typeof effect !== 'function' || ['list', 'listFiles', 'findFreshItems'].includes(String(method)))
          return effect;
        return async (...given: unknown[]) => {
          const dies = ++effects === crash.at;
          const step = steps.shift();
          if (step !== undefined) await take(step, world);
          if (dies && crash.when === 'before') throw new Error('killed');
          const reply = await effect(...given);
          if (dies) throw new Error('killed');
          return reply;
        };
      },
    });
  const { facts } = ports;
  return {
    raw: wrapped(ports.raw),
    tombstones: wrapped(ports.tombstones),
    withLease: ports.withLease,
    deadLetters: wrapped(ports.deadLetters),
    lake: wrapped(ports.lake),
    facts: {
      ...facts,
      tombstones: wrapped(facts.tombstones),
      fresh: wrapped(facts.fresh),
      manifests: wrapped(facts.manifests),
      factReader: wrapped(facts.factReader),
      writer: wrapped(facts.writer),
    },
  };
}

test('if an erasure crashes at any point, the next erasure erases the sessions and keeps other sessions', async () => {
  let deaths = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(someStep, { maxLength: 12 }),
      fc.array(someStep, { maxLength: 6 }),
      fc.record({ at: fc.integer({ min: 1, max: 25 }), when: fc.constantFrom('before', 'after') }),
      fc.subarray(['a', 'b', '😀', 'never'], { minLength: 1 }),
      fc.array(someStep, { maxLength: 6 }),
      async (history, meanwhile, crash, sessionIds, later) => {
        const world = createErasureWorld();
        await world.putAside(aLine({ session_id: 'a' }) + aLine({ session_id: 'c' }));
        for (const step of history) await take(step, world);
        await world.observe();
        const died = await eraseSessions(crashing(world.ports, [...meanwhile], world, crash), FUNNEL, {
          sessionIds,
        }).then(
          () => false,
          ({ message }: Error) => message === 'killed',
        );
        if (died) deaths++;
        for (const step of later) await take(step, world);
        pass(MARGIN_MS);
        world.land();
        const undisturbed = { at: 0, when: 'never' };
        const beside = crashing(world.ports, [...meanwhile], world, undisturbed);
        const second = await eraseSessions(beside, FUNNEL, { sessionIds: died ? sessionIds : [] });
        expect(second.sessions).toBe(sessionIds.length);
        world.forget(keysOf(...sessionIds));
        await world.observe();
        // Events that arrived during the erasure were never counted, but are still stored. The next erasure removes
        // them.
        pass(MARGIN_MS);
        world.land();
        await world.compact();
        await eraseSessions(world.ports, FUNNEL, { sessionIds: [] });
        const stored = await keysStored(world);
        for (const key of keysOf(...sessionIds)) expect(stored).not.toContain(key);
        expect(world.waiting().join()).toContain('"session_id":"c"');
        expect(world.waiting().join().includes('"session_id":"a"')).toBe(!sessionIds.includes('a'));

        // Late events, a compaction and a rebuild do not restore the erased sessions.
        for (const step of [...later, { passMs: 5 * MARGIN_MS }, { compact: 'minor' }] as Step[])
          await take(step, world);
        world.forget(keysOf(...sessionIds));
        await world.observe();
        pass(3 * MARGIN_MS);
        world.land();
        const rebuilt = await rebuildFacts(world.rebuildPorts, FUNNEL, {
          marginMs: MARGIN_MS,
          confirm: async () => true,
        });
        expect(rebuilt.outcome).toBe('rebuilt');
        await world.observe();
      },
    ),
    { numRuns: 1_000 },
  );
  expect(deaths).toBeGreaterThan(100);
}, 120_000);
