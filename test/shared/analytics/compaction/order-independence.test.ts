import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importFacts } from '../../../../infra/local/seed/import-facts.ts';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import { isBase } from '../../../../shared/analytics/facts/manifest.ts';
import { readOverview } from '../../../../shared/analytics/queries/overview.ts';
import type { SnapshotPorts } from '../../../../shared/analytics/queries/snapshot.ts';
import {
  addFresh,
  asNewProcess,
  DAY_MS,
  expectedOverview,
  MAY_31,
  someEvent,
} from '../../../support/analytics/analytics.ts';
import {
  type FactStores,
  FILE_SESSIONS_MAX,
  FUNNEL,
  factStores,
  faultsOf,
  HOUR_MS,
  major,
  minor,
  sweep,
} from '../../../support/analytics/compaction.ts';

/** Timeout of a test. It is long, because the machine may be busy. */
const PATIENCE_MS = 120_000;
const ALWAYS = { since: 0, untilMs: MAY_31 + 900 * DAY_MS, timeZone: 'UTC' };
const read = (ports: SnapshotPorts) => readOverview(ports, FUNNEL, { range: ALWAYS, filters: {} });
const expected = (events: readonly Fact[]) => expectedOverview(events, { sinceMs: 0, untilMs: ALWAYS.untilMs });

type Around = <T>(effect: () => Promise<T>, name: string) => Promise<T>;

/** The same stores, but every call of a method except `list` passes through `around`. */
function intercept(stores: FactStores, around: Around): FactStores {
  const wrapped = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, method) => {
        const effect: unknown = Reflect.get(target, method);
        // `list` is not intercepted, because it returns an iterator, not a promise.
        if (typeof effect !== 'function' || method === 'list') return effect;
        return (...given: unknown[]) => around(() => effect(...given), String(method));
      },
    });
  return {
    ...stores,
    fresh: wrapped(stores.fresh),
    manifests: wrapped(stores.manifests),
    factReader: wrapped(stores.factReader),
    writer: wrapped(stores.writer),
    rewriter: wrapped(stores.rewriter),
    swept: wrapped(stores.swept),
  };
}

const WORK = { minor, major, sweep };

/**
 * What happens at effect number `at`: nothing, the process ends before or after the effect, the response of a commit is
 * lost, or the clock jumps.
 */
type Fault = { at: number; what: 'none' | 'before' | 'after' | 'lost' | 'jump'; jumpMs: number };

function faultOf({ at, what, jumpMs }: Fault, stores: FactStores, observe: () => Promise<void>): Around {
  let effects = 0;
  let ended = false;
  return async (effect, name) => {
    const now = ++effects === at;
    ended ||= now && what === 'before';
    if (ended) throw new Error('The process has ended.');
    const reply = await effect();
    await observe();
    if (now && what === 'jump') stores.clock.ms += jumpMs;
    ended ||= now && what === 'after';
    if (ended) throw new Error('The process has ended.');
    // After a lost response, the SDK retries the conditional write. The condition of the retry fails, so the commit is
    // reported as a conflict although it succeeded.
    return now && what === 'lost' && name === 'replaceIfUnchanged' ? (false as typeof reply) : reply;
  };
}

const someJump = fc.constantFrom(-2 * DAY_MS, -HOUR_MS, -1, 1, HOUR_MS, 2 * DAY_MS);
const someStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.array(someEvent, { minLength: 1, maxLength: 5 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      run: fc.constantFrom('minor', 'major', 'sweep'),
      fault: fc.record({
        at: fc.integer({ min: 1, max: 9 }),
        what: fc.constantFrom('none', 'before', 'after', 'lost', 'jump'),
        jumpMs: someJump,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ passMs: fc.constantFrom(60_000, 2 * HOUR_MS, 25 * HOUR_MS) }) },
  { weight: 1, arbitrary: fc.record({ jumpMs: someJump }) },
);

/** Completes all work, without further faults. */
async function settle(stores: FactStores): Promise<void> {
  await minor(stores);
  await major(stores);
  for (const passMs of [10 * DAY_MS, 2 * HOUR_MS, 2 * HOUR_MS]) {
    stores.clock.pass(passMs);
    for (const swept of await sweep(stores)) expect(swept).toMatchObject({ outcome: 'swept' });
  }
}

async function expectSettled(stores: FactStores): Promise<void> {
  const { files, retired } = await stores.manifests.read(FUNNEL);
  expect(await stores.fresh.listPendingFunnels()).toEqual([]);
  expect(files.every(isBase)).toBe(true);
  expect(retired).toEqual([]);
  expect(stores.stored()).toEqual(files.map(({ name }) => name).sort());
}

test(
  'the overview counts all events at every instant, even after crashes and clock jumps',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someEvent), fc.array(someStep, { maxLength: 14 }), async (imported, steps) => {
        const stores = factStores();
        const events = [...imported];
        await importFacts(stores, FUNNEL, imported, { fileSessionsMax: FILE_SESSIONS_MAX });
        // `look` reads in two processes: `old` keeps its cache, and the other has just started.
        const old = asNewProcess(stores);
        const look = async () => {
          expect(faultsOf(await stores.manifests.read(FUNNEL), stores.stored())).toEqual([]);
          expect(await read(old)).toEqual(expected(events));
          expect(await read(asNewProcess(stores))).toEqual(expected(events));
        };
        // Failed expectations are collected, because errors that the work throws are ignored.
        const seen: unknown[] = [];
        const observe = () => look().catch((cause: unknown) => void seen.push(cause));
        for (const step of steps) {
          if ('add' in step) {
            await addFresh(stores.fresh, FUNNEL, step.add);
            events.push(...step.add);
          } else if ('passMs' in step) stores.clock.pass(step.passMs);
          else if ('jumpMs' in step) stores.clock.ms += step.jumpMs;
          else await WORK[step.run](intercept(stores, faultOf(step.fault, stores, observe))).catch(() => undefined);
          await observe();
          expect(seen).toEqual([]);
        }
        await settle(stores);
        await look();
        await expectSettled(stores);
      }),
      { numRuns: 1_000 },
    );
  },
  PATIENCE_MS,
);

test(
  'no session is lost or counted twice in any interleaving of an import, compactions and sweeps',
  async () => {
    const someEvents = fc.array(someEvent, { minLength: 1, maxLength: 8 });
    const places = fc.record({ base: fc.array(someEvent), level1: someEvents, fresh: someEvents, late: someEvents });
    const lostReplies = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(places, lostReplies, fc.scheduler(), async ({ base, level1, fresh, late }, lost, scheduler) => {
        const stores = factStores();
        await importFacts(stores, FUNNEL, base, { fileSessionsMax: FILE_SESSIONS_MAX });
        await addFresh(stores.fresh, FUNNEL, level1);
        await minor(stores);
        // Simulates a crash that left a file outside the manifest, so that the sweeper has work.
        await stores.writer.write(FUNNEL, fresh.slice(0, 1), 0);
        stores.clock.pass(25 * HOUR_MS);
        for (const event of fresh) await addFresh(stores.fresh, FUNNEL, [event]);
        const [before, after] = [
          expected([...base, ...level1, ...fresh]),
          expected([...base, ...level1, ...fresh, ...late]),
        ];

        let commits = 0;
        const ports = intercept(stores, async (effect, name) => {
          await scheduler.schedule(Promise.resolve(), name);
          const reply = await effect();
          return name === 'replaceIfUnchanged' && lost.includes(++commits) ? (false as typeof reply) : reply;
        });
        const imported = importFacts(ports, FUNNEL, late, { fileSessionsMax: FILE_SESSIONS_MAX }).catch(
          () => undefined,
        );
        const work = [minor(ports), minor(ports), major(ports), major(ports), sweep(ports), sweep(ports), imported];
        const reads = [1, 2, 3].map(() => read(asNewProcess(ports)));
        await scheduler.waitFor(Promise.all([...work, ...reads]));

        for (const answer of await Promise.all(reads)) expect([before, after]).toContainEqual(answer);
        expect(faultsOf(await stores.manifests.read(FUNNEL), stores.stored())).toEqual([]);
        expect(await read(asNewProcess(stores))).toEqual(after);
        await settle(stores);
        expect(await read(asNewProcess(stores))).toEqual(after);
        await expectSettled(stores);
      }),
      { numRuns: 1_000 },
    );
  },
  PATIENCE_MS,
);
