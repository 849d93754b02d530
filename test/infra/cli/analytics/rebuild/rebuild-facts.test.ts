import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UnreadableFileError } from '../../../../../infra/cli/analytics/rebuild/fact-staging.ts';
import { hasLosses, type RebuildDiff } from '../../../../../infra/cli/analytics/rebuild/rebuild-diff.ts';
import {
  type RebuildPorts,
  type RebuildResult,
  rebuildFacts,
} from '../../../../../infra/cli/analytics/rebuild/rebuild-facts.ts';
import type { EventRow } from '../../../../../shared/analytics/events/event-row.ts';
import { sessionKey } from '../../../../../shared/analytics/events/session-key.ts';
import { isBase } from '../../../../../shared/analytics/facts/manifest.ts';
import { MAY_31 } from '../../../../support/analytics/analytics.ts';
import { aStoredEvent } from '../../../../support/analytics/lake.ts';
import {
  createMaintenanceWorld,
  MARGIN_MS,
  type MaintenanceWorld,
  pass,
  someRow,
} from '../../../../support/analytics/maintenance-world.ts';
import { FUNNEL } from '../../../../support/analytics/memory-stores.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: MAY_31 }));
afterEach(() => void vi.useRealTimers());

const someStep = fc.oneof(
  fc.record({ arrive: fc.array(someRow, { minLength: 1, maxLength: 3 }), delayMs: fc.nat({ max: MARGIN_MS }) }),
  fc.record({ passMs: fc.constantFrom(1, 1_000, MARGIN_MS, 3 * MARGIN_MS) }),
  fc.record({ compact: fc.constantFrom('minor' as const, 'major' as const) }),
  fc.record({ rebuild: fc.constant(true) }),
);
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

type World = MaintenanceWorld;

async function take(step: Step, { arrive, compact, land, observe, rebuildPorts: ports }: World) {
  if ('arrive' in step) await arrive(step.arrive, step.delayMs);
  else if ('passMs' in step) pass(step.passMs);
  else if ('compact' in step) await compact(step.compact);
  else await rebuildFacts(ports, FUNNEL, options(2));
  land();
  await observe();
}

/**
 * Wraps the functions of `raw` (except `listFiles`), `manifests`, `writer` and `tombstones`. Before each call, takes
 * the next of `steps`, as if another process changed data. The call with the number `crash.at` throws before or after
 * its work, as if the process crashed.
 */
function beside(ports: RebuildPorts, steps: Step[], world: World, crash?: { at: number; when: string }): RebuildPorts {
  let effects = 0;
  const wrapped = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, method) => {
        const effect: unknown = Reflect.get(target, method);
        if (typeof effect !== 'function' || method === 'listFiles') return effect;
        return async (...given: unknown[]) => {
          const dies = ++effects === crash?.at;
          const step = steps.shift();
          if (step !== undefined) await take(step, world);
          if (dies && crash?.when === 'before') throw new Error('killed');
          const reply = await effect(...given);
          await world.observe();
          if (dies) throw new Error('killed');
          return reply;
        };
      },
    });
  const { raw, manifests, writer, tombstones } = ports;
  return {
    ...ports,
    raw: wrapped(raw),
    manifests: wrapped(manifests),
    writer: wrapped(writer),
    tombstones: wrapped(tombstones),
  };
}

const options = (fileSessionsMax: number) => ({ marginMs: MARGIN_MS, fileSessionsMax, confirm: async () => true });
const retried = async (rebuilding: () => Promise<RebuildResult>): Promise<RebuildResult> => {
  const done = await rebuilding();
  if (done.outcome !== 'too early') return done;
  pass(done.waitMs);
  return rebuilding();
};

test('a rebuild from all raw events changes no count, despite concurrent events, compactions, rebuilds and crashes', async () => {
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(someStep, { maxLength: 15 }),
      fc.array(someStep, { maxLength: 8 }),
      fc.option(fc.record({ at: fc.integer({ min: 1, max: 10 }), when: fc.constantFrom('before', 'after') })),
      fc.integer({ min: 1, max: 3 }),
      async (history, meanwhile, crash, fileSessionsMax) => {
        const world = createMaintenanceWorld();
        for (const step of history) await take(step, world);
        const ports = beside(world.rebuildPorts, [...meanwhile], world, crash ?? undefined);
        const first = await rebuildFacts(ports, FUNNEL, options(fileSessionsMax)).catch(
          (error: Error) => error.message,
        );
        const outcome = typeof first === 'string' ? first : first.outcome;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        await world.observe();

        pass(MARGIN_MS + 1);
        world.land();
        const done = await retried(() => rebuildFacts(world.rebuildPorts, FUNNEL, options(fileSessionsMax)));
        expect(done).toMatchObject({ outcome: 'rebuilt' });
        if (done.outcome === 'rebuilt') expect(hasLosses(done.comparison)).toBe(false);
        await world.observe();
        const { files } = await world.stores.manifests.read(FUNNEL);
        const base = files.filter(isBase).sort((a, b) => (a.minKey < b.minKey ? -1 : 1));
        for (const [at, file] of base.entries()) {
          expect(file.factCount).toBeLessThanOrEqual(fileSessionsMax);
          expect(at === 0 || (base[at - 1]?.maxKey ?? 0n) < file.minKey).toBe(true);
        }
      },
    ),
    { numRuns: 2_000 },
  );
  // The generated cases include each of these outcomes.
  expect([...outcomes.keys()].sort()).toEqual(expect.arrayContaining(['killed', 'rebuilt', 'superseded', 'too early']));
}, 120_000);

const visit = (session: string, ...kinds: string[]) =>
  kinds.map((kind, at) => aStoredEvent({ session_id: session, kind, time_ms: MAY_31 + at }));

/** A world with these events, which are older than the margin. The raw events and one base file contain them. */
async function settled(...rows: EventRow[]) {
  const world = createMaintenanceWorld();
  await world.arrive(rows, 0);
  await world.compact();
  pass(3 * MARGIN_MS);
  await world.compact();
  await rebuildFacts(world.rebuildPorts, FUNNEL, options(10));
  pass(3 * MARGIN_MS);
  return world;
}

test('a rebuild replaces the files older than `marginMs` with a new base, retires them and increments the generation', async () => {
  const { stores, rebuildPorts: ports, arrive, compact, observe } = await settled(...visit('a', 'view'));
  await arrive(visit('a', 'complete'), 0);
  pass(2 * MARGIN_MS);
  await compact();
  pass(2 * MARGIN_MS);
  const before = await stores.manifests.read(FUNNEL);
  expect(before.files.map(({ level }) => level)).toEqual(['base', '1']);
  expect(await rebuildFacts(ports, FUNNEL, options(10))).toMatchObject({
    outcome: 'rebuilt',
    files: 1,
    replaced: 2,
    kept: 0,
  });
  const after = await stores.manifests.read(FUNNEL);
  expect(after.files.map(({ level, factCount }) => [level, factCount])).toEqual([['base', 1]]);
  expect(after.generation).toBe(before.generation + 1);
  expect(after.retired.map(({ name }) => name)).toEqual(expect.arrayContaining(before.files.map(({ name }) => name)));
  await observe();
});

test('a rebuild first reports what would be lost, and changes nothing if the operator declines', async () => {
  const {
    stores,
    raw,
    rebuildPorts: ports,
    observe,
  } = await settled(...visit('a', 'view'), ...visit('b', 'start', 'complete'));
  raw.stored.clear();
  raw.add([...visit('b', 'view').map((row) => ({ ...row, time_ms: MAY_31 + 5 })), ...visit('c', 'start')]);
  const before = await stores.manifests.read(FUNNEL);
  const confirm = vi.fn(async () => false);
  const comparison = {
    before: 2,
    after: 2,
    lost: 1,
    startsLost: 1,
    completionsLost: 1,
    firstEventsLost: 1,
    found: 1,
    startsFound: 0,
    completionsFound: 0,
    firstEventsFound: 0,
    filesUnreadable: 0,
  };
  expect(await rebuildFacts(ports, FUNNEL, { ...options(10), confirm })).toEqual({
    outcome: 'declined',
    comparison,
  });
  expect(confirm).toHaveBeenCalledExactlyOnceWith(comparison);
  expect(hasLosses(comparison)).toBe(true);
  expect(await stores.manifests.read(FUNNEL)).toEqual(before);
  await observe();
});

test('if a file older than `marginMs` is damaged, a rebuild reports a loss, and continues if the operator agrees', async () => {
  const { stores, rebuildPorts: ports, observe } = await settled(...visit('a', 'start'), ...visit('b', 'view'));
  const staging: RebuildPorts['staging'] = (work) =>
    ports.staging((inner) => {
      const addFile = async () => Promise.reject(new UnreadableFileError('The fact file is damaged.'));
      return work({ ...inner, addFile });
    });
  const confirm = vi.fn(async (_: RebuildDiff) => true);
  expect(await rebuildFacts({ ...ports, staging }, FUNNEL, { ...options(10), confirm })).toMatchObject({
    outcome: 'rebuilt',
    comparison: { before: 0, after: 2, filesUnreadable: 1 },
  });
  expect(confirm.mock.calls.map(([comparison]) => hasLosses(comparison))).toEqual([true]);
  expect((await stores.manifests.read(FUNNEL)).files).toHaveLength(1);
  await observe();
});

test('a rebuild does not replace a base that is younger than `marginMs`, and returns how long to wait', async () => {
  const world = createMaintenanceWorld();
  await world.arrive(visit('a', 'view'), 0);
  pass(MARGIN_MS);
  await world.compact();
  pass(MARGIN_MS + 1);
  await rebuildFacts(world.rebuildPorts, FUNNEL, options(10));
  pass(1_000);
  const before = await world.stores.manifests.read(FUNNEL);
  const again = await rebuildFacts(world.rebuildPorts, FUNNEL, options(10));
  expect(again).toEqual({ outcome: 'too early', waitMs: MARGIN_MS - 1_000 + 1 });
  expect(await world.stores.manifests.read(FUNNEL)).toEqual(before);
  pass(MARGIN_MS);
  expect(await rebuildFacts(world.rebuildPorts, FUNNEL, options(10))).toMatchObject({ outcome: 'rebuilt' });
});

test('a rebuild does not restore erased data from raw events, and does not report this data as a loss', async () => {
  const { stores, rebuildPorts: ports } = await settled(...visit('a', 'start'), ...visit('b', 'view'));
  await ports.tombstones.addSessions(FUNNEL, [sessionKey(FUNNEL, 'a')]);
  const done = await rebuildFacts(ports, FUNNEL, options(10));
  expect(done).toMatchObject({ outcome: 'rebuilt', comparison: { before: 1, after: 1, lost: 0 } });
  const { files } = await stores.manifests.read(FUNNEL);
  expect((await stores.factReader.read(files)).map((fact) => fact.sessionKey)).toEqual([sessionKey(FUNNEL, 'b')]);
});

test('a rebuild throws and changes nothing if a raw event file disappears before the rebuild reads the file', async () => {
  const { stores, raw, rebuildPorts: ports } = await settled(...visit('a', 'view'));
  const before = await stores.manifests.read(FUNNEL);
  const gone = { ...raw, open: async () => undefined };
  await expect(rebuildFacts({ ...ports, raw: gone }, FUNNEL, options(10))).rejects.toThrow('Run the command again');
  expect(await stores.manifests.read(FUNNEL)).toEqual(before);
});
