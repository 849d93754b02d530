import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { compactDue } from '../../../shared/analytics/compaction/compact.ts';
import { sessionKey } from '../../../shared/analytics/events/session-key.ts';
import type { StoredEvent } from '../../../shared/analytics/events/stored-event.ts';
import type { Fact } from '../../../shared/analytics/facts/fact.ts';
import { isBase } from '../../../shared/analytics/facts/manifest.ts';
import { reduceEvents } from '../../../shared/analytics/facts/reduce-events.ts';
import { readOverview } from '../../../shared/analytics/reads/overview.ts';
import { losesAnything } from '../../../shared/analytics/upkeep/comparison.ts';
import { type Rebuild, type RebuildPorts, rebuild } from '../../../shared/analytics/upkeep/rebuild.ts';
import { addFresh, DAY_MS, expectedOverview, MAY_31, memoryAnalytics, someEvent } from '../../support/analytics.ts';
import { aStoredEvent, FUNNEL, memoryErasures, memoryRawEvents, memoryStaging } from '../../support/upkeep.ts';

const MARGIN_MS = 60_000;
const ALWAYS = { since: 0, untilMs: MAY_31 + 9 * DAY_MS, timeZone: 'UTC' };
const clock = { now: () => Date.now() };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: MAY_31 }));
afterEach(() => void vi.useRealTimers());
const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

/** Everything in memory: what is said arrives in the facts at once, and in the raw files a while later. */
function setUp() {
  const stores = { ...memoryAnalytics(), clock };
  const raw = memoryRawEvents();
  const events: Fact[] = [];
  let delayed: { dueMs: number; row: StoredEvent }[] = [];
  const land = () => {
    const due = delayed.filter(({ dueMs }) => dueMs <= Date.now());
    if (due.length > 0) raw.add(due.map(({ row }) => row));
    delayed = delayed.filter(({ dueMs }) => dueMs > Date.now());
  };
  const arrive = async (said: readonly StoredEvent[], delayMs: number) => {
    await addFresh(stores.fresh, FUNNEL, reduceEvents(said).get(FUNNEL) ?? []);
    delayed.push(...said.map((row) => ({ row, dueMs: Date.now() + delayMs })));
    events.push(...said.filter(({ bot }) => !bot).map(toldBy));
    land();
  };
  const observe = async () =>
    expect(await readOverview(stores, FUNNEL, { range: ALWAYS, filters: {} })).toEqual(
      expectedOverview(events, { sinceMs: 0, untilMs: ALWAYS.untilMs }),
    );
  const ports = {
    ...{ raw, staging: memoryStaging(stores.files), manifests: stores.manifests, writer: stores.writer, clock },
    erasures: memoryErasures(),
  };
  return { stores, raw, ports, land, arrive, observe, compact: () => compactDue(stores) };
}

/** What an event tells, by its definition. */
const toldBy = (row: StoredEvent): Fact => ({
  sessionKey: sessionKey(row.funnel_id, row.session_id),
  ...{ timeMs: row.time_ms, clientTimeMs: row.client_time_ms, stepIndex: row.step_index, referrer: row.referrer },
  ...{ utmSource: row.utm_source, utmMedium: row.utm_medium, utmCampaign: row.utm_campaign, utmTerm: row.utm_term },
  ...{ utmContent: row.utm_content, deviceType: row.device_type, browser: row.browser, os: row.os },
  started: ['start', 'step_submit', 'complete'].includes(row.kind) || (row.step_index ?? 0) >= 1,
  completed: row.kind === 'complete',
});

const someRow: fc.Arbitrary<StoredEvent> = fc
  .record({
    of: someEvent,
    session: fc.constantFrom('a', 'b', 'c', '😀'),
    kind: fc.constantFrom('view', 'start', 'step_view', 'step_submit', 'complete', ''),
    bot: fc.constantFrom(false, false, false, true),
  })
  .map(({ of, session, kind, bot }) =>
    aStoredEvent({
      ...{ session_id: session, kind, bot, time_ms: of.timeMs, client_time_ms: of.clientTimeMs },
      ...{ step_index: of.stepIndex, referrer: of.referrer, utm_source: of.utmSource, utm_medium: of.utmMedium },
      ...{ utm_campaign: of.utmCampaign, utm_term: of.utmTerm, utm_content: of.utmContent },
      ...{ device_type: of.deviceType as 'mobile', browser: of.browser as 'chrome', os: of.os as 'ios' },
    }),
  );

const someStep = fc.oneof(
  fc.record({ arrive: fc.array(someRow, { minLength: 1, maxLength: 3 }), delayMs: fc.nat({ max: MARGIN_MS }) }),
  fc.record({ passMs: fc.constantFrom(1, 1_000, MARGIN_MS, 3 * MARGIN_MS) }),
  fc.record({ compact: fc.constant(true) }),
  fc.record({ rebuild: fc.constant(true) }),
);
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

type World = ReturnType<typeof setUp>;

async function take(step: Step, { arrive, compact, land, observe, ports }: World) {
  if ('arrive' in step) await arrive(step.arrive, step.delayMs);
  else if ('passMs' in step) pass(step.passMs);
  else if ('compact' in step) await compact();
  else await rebuild(ports, FUNNEL, options(2));
  land();
  await observe();
}

/** The ports, something happening beside before each of their effects; the process dies around the n-th. */
function beside(ports: RebuildPorts, steps: Step[], world: World, crash?: { at: number; when: string }): RebuildPorts {
  let effects = 0;
  const wrapped = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, method) => {
        const effect: unknown = Reflect.get(target, method);
        if (typeof effect !== 'function' || method === 'files') return effect;
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
  const { raw, manifests, writer, erasures } = ports;
  return {
    ...ports,
    ...{ raw: wrapped(raw), manifests: wrapped(manifests), writer: wrapped(writer), erasures: wrapped(erasures) },
  };
}

const options = (fileSessionsMax: number) => ({ marginMs: MARGIN_MS, fileSessionsMax, agree: async () => true });
const retried = async (rebuilding: () => Promise<Rebuild>): Promise<Rebuild> => {
  const done = await rebuilding();
  if (done.outcome !== 'too early') return done;
  pass(done.waitMs);
  return rebuilding();
};

test('the result equals the present facts: before, during and after, whatever comes, is compacted or dies meanwhile', async () => {
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(someStep, { maxLength: 15 }),
      fc.array(someStep, { maxLength: 8 }),
      fc.option(fc.record({ at: fc.integer({ min: 1, max: 10 }), when: fc.constantFrom('before', 'after') })),
      fc.integer({ min: 1, max: 3 }),
      async (history, meanwhile, crash, fileSessionsMax) => {
        const world = setUp();
        for (const step of history) await take(step, world);
        const ports = beside(world.ports, [...meanwhile], world, crash ?? undefined);
        const first = await rebuild(ports, FUNNEL, options(fileSessionsMax)).catch((error: Error) => error.message);
        const outcome = typeof first === 'string' ? first : first.outcome;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        await world.observe();

        pass(MARGIN_MS + 1);
        world.land();
        const done = await retried(() => rebuild(world.ports, FUNNEL, options(fileSessionsMax)));
        expect(done).toMatchObject({ outcome: 'rebuilt' });
        if (done.outcome === 'rebuilt') expect(losesAnything(done.comparison)).toBe(false);
        await world.observe();
        const { files } = await world.stores.manifests.read(FUNNEL);
        const base = files.filter(isBase).sort((a, b) => (a.minKey < b.minKey ? -1 : 1));
        for (const [at, file] of base.entries()) {
          expect(file.sessions).toBeLessThanOrEqual(fileSessionsMax);
          expect(at === 0 || (base[at - 1]?.maxKey ?? 0n) < file.minKey).toBe(true);
        }
      },
    ),
    { numRuns: 2_000 },
  );
  // Each of the ways it can go was met.
  expect([...outcomes.keys()].sort()).toEqual(expect.arrayContaining(['killed', 'overtaken', 'rebuilt', 'too early']));
}, 120_000);

const visit = (session: string, ...kinds: string[]) =>
  kinds.map((kind, at) => aStoredEvent({ session_id: session, kind, time_ms: MAY_31 + at }));

/** Counted long ago, all of it in one base file and in the raw events. */
async function settled(...rows: StoredEvent[]) {
  const world = setUp();
  await world.arrive(rows, 0);
  await world.compact();
  pass(3 * MARGIN_MS);
  await world.compact();
  await rebuild(world.ports, FUNNEL, options(10));
  pass(3 * MARGIN_MS);
  return world;
}

test('a rebuild replaces everything older by one base, of another generation, and retires it', async () => {
  const { stores, ports, arrive, compact, observe } = await settled(...visit('a', 'view'));
  await arrive(visit('a', 'complete'), 0);
  pass(2 * MARGIN_MS);
  await compact();
  pass(2 * MARGIN_MS);
  const before = await stores.manifests.read(FUNNEL);
  expect(before.files.map(({ level }) => level)).toEqual(['base', '1']);
  expect(await rebuild(ports, FUNNEL, options(10))).toMatchObject({
    outcome: 'rebuilt',
    files: 1,
    replaced: 2,
    kept: 0,
  });
  const after = await stores.manifests.read(FUNNEL);
  expect(after.files.map(({ level, sessions }) => [level, sessions])).toEqual([['base', 1]]);
  expect(after.generation).toBe(before.generation + 1);
  expect(after.retired.map(({ name }) => name)).toEqual(expect.arrayContaining(before.files.map(({ name }) => name)));
  await observe();
});

test('what raw events do not know is told before anything is written; nothing changes unless the loss is agreed to', async () => {
  const { stores, raw, ports, observe } = await settled(...visit('a', 'view'), ...visit('b', 'start', 'complete'));
  raw.stored.clear();
  raw.add([...visit('b', 'view').map((row) => ({ ...row, time_ms: MAY_31 + 5 })), ...visit('c', 'start')]);
  const before = await stores.manifests.read(FUNNEL);
  const asked = vi.fn(async () => false);
  const comparison = {
    ...{ before: 2, after: 2, lost: 1, startsLost: 1, completionsLost: 1, firstEventsLost: 1 },
    ...{ found: 1, startsFound: 0, completionsFound: 0, firstEventsFound: 0 },
  };
  expect(await rebuild(ports, FUNNEL, { ...options(10), agree: asked })).toEqual({ outcome: 'declined', comparison });
  expect(asked).toHaveBeenCalledExactlyOnceWith(comparison);
  expect(losesAnything(comparison)).toBe(true);
  expect(await stores.manifests.read(FUNNEL)).toEqual(before);
  await observe();
});

test('a base that is younger than the margin is waited for', async () => {
  const world = setUp();
  await world.arrive(visit('a', 'view'), 0);
  pass(MARGIN_MS);
  await world.compact();
  pass(MARGIN_MS + 1);
  await rebuild(world.ports, FUNNEL, options(10));
  pass(1_000);
  const before = await world.stores.manifests.read(FUNNEL);
  const again = await rebuild(world.ports, FUNNEL, options(10));
  expect(again).toEqual({ outcome: 'too early', waitMs: MARGIN_MS - 1_000 + 1 });
  expect(await world.stores.manifests.read(FUNNEL)).toEqual(before);
  pass(MARGIN_MS);
  expect(await rebuild(world.ports, FUNNEL, options(10))).toMatchObject({ outcome: 'rebuilt' });
});

test('what is erased does not come back from raw events, and is not called a loss', async () => {
  const { stores, ports } = await settled(...visit('a', 'start'), ...visit('b', 'view'));
  await ports.erasures.add(FUNNEL, [sessionKey(FUNNEL, 'a')]);
  const done = await rebuild(ports, FUNNEL, options(10));
  expect(done).toMatchObject({ outcome: 'rebuilt', comparison: { before: 1, after: 1, lost: 0 } });
  const { files } = await stores.manifests.read(FUNNEL);
  expect((await stores.files.read(files)).map((fact) => fact.sessionKey)).toEqual([sessionKey(FUNNEL, 'b')]);
});

test('a file of raw events that is replaced meanwhile ends it without a change', async () => {
  const { stores, raw, ports } = await settled(...visit('a', 'view'));
  const before = await stores.manifests.read(FUNNEL);
  const gone = { ...raw, open: async () => undefined };
  await expect(rebuild({ ...ports, raw: gone }, FUNNEL, options(10))).rejects.toThrow('begin again');
  expect(await stores.manifests.read(FUNNEL)).toEqual(before);
});
