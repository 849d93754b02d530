import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { compactDue } from '../../../shared/analytics/compaction/compact.ts';
import { sessionKey } from '../../../shared/analytics/events/session-key.ts';
import { setAsideJson } from '../../../shared/analytics/events/set-aside.ts';
import { type ErasePorts, erase } from '../../../shared/analytics/upkeep/erase.ts';
import { rebuild } from '../../../shared/analytics/upkeep/rebuild.ts';
import { MAY_31 } from '../../support/analytics.ts';
import { aRecord } from '../../support/events.ts';
import { aStoredEvent } from '../../support/lake.ts';
import { memoryObjects } from '../../support/stored-objects.ts';
import { aLine, FUNNEL } from '../../support/upkeep.ts';
import { MARGIN_MS, pass, someRow, type UpkeepWorld, upkeepWorld } from '../../support/upkeep-world.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: MAY_31 }));
afterEach(() => void vi.useRealTimers());

function setUp() {
  const world = upkeepWorld();
  const [setAside, lake] = [memoryObjects(), memoryObjects()];
  const { stores, kept, raw, erasures } = world;
  const facts = {
    ...{ erasures, fresh: kept, manifests: stores.manifests, files: stores.files, writer: stores.writer },
    ...{
      objects: memoryObjects(),
      oldVersions: { remove: async () => 0 },
      holdsAny: async () => false,
      clock: stores.clock,
    },
  };
  const ports: ErasePorts = { facts, raw, erasures, setAside, lake };
  let records = 0;
  const putAside = (data: string | Uint8Array) =>
    setAside.put(`set-aside/events/s/${++records}.json`, Buffer.from(setAsideJson(aRecord(data, records), 'why')), '');
  const fail = (data: string | Uint8Array) => {
    const line = { attemptsMade: 1, lastErrorMessage: 'why', rawData: Buffer.from(data).toString('base64') };
    return lake.put(`errors/events/x/${++records}`, Buffer.from(`${JSON.stringify(line)}\n`), '');
  };
  /** What the records waiting for an operator hold. */
  const waiting = () =>
    [...setAside.stored.values(), ...lake.stored.values()].map((bytes) => {
      const { data, rawData } = JSON.parse(Buffer.from(bytes).toString());
      return Buffer.from(data ?? rawData, 'base64').toString();
    });
  return { ...world, ports, putAside, fail, waiting, setAside, lake };
}

const keysOf = (...sessions: string[]) => sessions.map((id) => sessionKey(FUNNEL, id));

/** The session keys of everything that is stored of the funnel and can be read. */
async function keysStored({ kept, stores, raw }: UpkeepWorld): Promise<Set<bigint>> {
  const fresh = (await kept.read(FUNNEL)).flatMap(({ facts }) => facts);
  const listed = await stores.files.read((await stores.manifests.read(FUNNEL)).files);
  const rows = [...raw.stored.values()].flat().map((row) => sessionKey(row.funnel_id, row.session_id));
  return new Set([...[...fresh, ...listed].map((fact) => fact.sessionKey), ...rows]);
}

const someStep = fc.oneof(
  fc.record({ arrive: fc.array(someRow, { minLength: 1, maxLength: 3 }), delayMs: fc.nat({ max: MARGIN_MS }) }),
  fc.record({ passMs: fc.constantFrom(1, MARGIN_MS, 3 * MARGIN_MS) }),
  fc.record({ compact: fc.constantFrom('minor' as const, 'major' as const) }),
);
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

async function take(step: Step, { arrive, compact, land }: UpkeepWorld): Promise<void> {
  if ('arrive' in step) await arrive(step.arrive, step.delayMs);
  else if ('passMs' in step) pass(step.passMs);
  else await compact(step.compact);
  land();
}

/** Ports beside whose effects other things happen; the process dies around the n-th effect. */
function mortal(ports: ErasePorts, steps: Step[], world: UpkeepWorld, crash: { at: number; when: string }): ErasePorts {
  let effects = 0;
  const wrapped = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, method) => {
        const effect: unknown = Reflect.get(target, method);
        if (typeof effect !== 'function' || ['list', 'files', 'freshItems'].includes(String(method))) return effect;
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
    ...{ raw: wrapped(ports.raw), erasures: wrapped(ports.erasures) },
    ...{ setAside: wrapped(ports.setAside), lake: wrapped(ports.lake) },
    facts: {
      ...facts,
      ...{ erasures: wrapped(facts.erasures), fresh: wrapped(facts.fresh), manifests: wrapped(facts.manifests) },
      ...{ files: wrapped(facts.files), writer: wrapped(facts.writer) },
    },
  };
}

test('wherever it dies, the same request again leaves nothing of the sessions, and of the others everything', async () => {
  let deaths = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(someStep, { maxLength: 12 }),
      fc.array(someStep, { maxLength: 6 }),
      fc.record({ at: fc.integer({ min: 1, max: 25 }), when: fc.constantFrom('before', 'after') }),
      fc.subarray(['a', 'b', '😀', 'never'], { minLength: 1 }),
      fc.array(someStep, { maxLength: 6 }),
      async (history, meanwhile, crash, sessionIds, later) => {
        const world = setUp();
        await world.putAside(aLine({ session_id: 'a' }) + aLine({ session_id: 'c' }));
        for (const step of history) await take(step, world);
        await world.observe();
        const died = await erase(mortal(world.ports, [...meanwhile], world, crash), FUNNEL, { sessionIds }).then(
          () => false,
          ({ message }: Error) => message === 'killed',
        );
        if (died) deaths++;
        for (const step of later) await take(step, world);
        pass(MARGIN_MS);
        world.land();
        const undisturbed = { at: 0, when: 'never' };
        const beside = mortal(world.ports, [...meanwhile], world, undisturbed);
        const second = await erase(beside, FUNNEL, { sessionIds: died ? sessionIds : [] });
        expect(second.sessions).toBe(sessionIds.length);
        world.forget(keysOf(...sessionIds));
        await world.observe();
        // What came meanwhile is cleared away by whoever comes next; it counted nowhere.
        pass(MARGIN_MS);
        world.land();
        await world.compact();
        await erase(world.ports, FUNNEL, { sessionIds: [] });
        const stored = await keysStored(world);
        for (const key of keysOf(...sessionIds)) expect(stored).not.toContain(key);
        expect(world.waiting().join()).toContain('"session_id":"c"');
        expect(world.waiting().join().includes('"session_id":"a"')).toBe(!sessionIds.includes('a'));

        // What comes late of them, a compaction and a rebuild bring nothing back.
        for (const step of [...later, { passMs: 5 * MARGIN_MS }, { compact: 'minor' }] as Step[])
          await take(step, world);
        world.forget(keysOf(...sessionIds));
        await world.observe();
        pass(3 * MARGIN_MS);
        world.land();
        const rebuilt = await rebuild(world.rebuildPorts, FUNNEL, { marginMs: MARGIN_MS, agree: async () => true });
        expect(rebuilt.outcome).toBe('rebuilt');
        await world.observe();
      },
    ),
    { numRuns: 1_000 },
  );
  expect(deaths).toBeGreaterThan(100);
}, 120_000);

const visit = (session: string, ...kinds: string[]) =>
  kinds.map((kind, at) => aStoredEvent({ session_id: session, kind, time_ms: MAY_31 + at }));

/** Facts of three sessions in a file and as fresh ones, and their raw events. */
async function threeSessions() {
  const world = setUp();
  await world.arrive([...visit('a', 'view'), ...visit('b', 'start'), ...visit('c', 'view')], 0);
  pass(MARGIN_MS);
  await world.compact();
  await world.arrive(visit('a', 'complete'), 0);
  return world;
}

test('it tells what was removed from each store', async () => {
  const world = await threeSessions();
  await world.putAside(aLine({ session_id: 'a' }));
  await world.fail(aLine({ session_id: 'a' }) + aLine({ session_id: 'a' }));
  const expected = {
    ...{ sessions: 1, freshFacts: 1, factFiles: 1, facts: 1, unlistedFiles: 0, oldVersions: 0 },
    ...{ rawFiles: 2, events: 2, setAsideEvents: 1, unkeptEvents: 2 },
  };
  expect(await erase(world.ports, FUNNEL, { sessionIds: ['a'] })).toEqual(expected);
  expect(world.waiting()).toEqual([]);
});

test('a dry run tells the same and changes nothing', async () => {
  const world = await threeSessions();
  await world.putAside(aLine({ session_id: 'a' }));
  const before = await world.stores.manifests.read(FUNNEL);
  const told = await erase(world.ports, FUNNEL, { sessionIds: ['a'] }, { dryRun: true });
  expect(told).toMatchObject({ sessions: 1, freshFacts: 1, factFiles: 1, facts: 1, events: 2, setAsideEvents: 1 });
  expect(await world.stores.manifests.read(FUNNEL)).toEqual(before);
  expect(await world.erasures.keys(FUNNEL)).toEqual([]);
  expect(await keysStored(world)).toEqual(new Set(keysOf('a', 'b', 'c')));
  expect(world.setAside.stored.size).toBe(1);
  await world.observe();
});

test('a session is kept out for its time from its last request on; carrying on begins no time anew', async () => {
  const world = await threeSessions();
  await erase(world.ports, FUNNEL, { sessionIds: ['a', 'b'] });
  pass(1_000);
  await erase(world.ports, FUNNEL, { sessionIds: ['b'] });
  pass(1_000);
  await erase(world.ports, FUNNEL, { sessionIds: [] });
  const since = new Map((await world.erasures.all()).map(({ sessionKey: key, sinceMs }) => [key, sinceMs]));
  const [a, b] = keysOf('a', 'b').map((key) => since.get(key) ?? 0);
  expect((b ?? 0) - (a ?? 0)).toBe(1_000);
});

test('where there is nothing to erase, nothing is changed', async () => {
  const world = await threeSessions();
  const before = await world.stores.manifests.read(FUNNEL);
  expect(await erase(world.ports, FUNNEL, { sessionIds: [] })).toMatchObject({ sessions: 0, facts: 0, events: 0 });
  expect(await world.stores.manifests.read(FUNNEL)).toEqual(before);
});

test('replaced files go for good, also those that were retired before, and the generation is another', async () => {
  const world = await threeSessions();
  const before = await world.stores.manifests.read(FUNNEL);
  await world.stores.manifests.commit(FUNNEL, before, { ...before, retired: [{ name: 'earlier', retiredMs: 1 }] });
  await erase(world.ports, FUNNEL, { sessionIds: ['a'] });
  const { generation, retired } = await world.stores.manifests.read(FUNNEL);
  expect(generation).toBe(before.generation + 1);
  expect(retired).toEqual([
    { name: 'earlier', retiredMs: 1, forGood: true },
    { name: before.files[0]?.name, retiredMs: Date.now(), forGood: true },
  ]);
});

test('a compaction that read fresh facts before lists nothing of them afterwards', async () => {
  const world = setUp();
  await world.arrive(visit('a', 'view'), 0);
  const { stores, ports } = world;
  const write: typeof stores.writer.write = async (...given) => {
    await erase(ports, FUNNEL, { sessionIds: ['a'] });
    return stores.writer.write(...given);
  };
  expect(await compactDue({ ...stores, writer: { write } })).toMatchObject([{ outcome: 'interrupted' }]);
  expect((await stores.manifests.read(FUNNEL)).files).toEqual([]);
  expect(await keysStored(world)).toEqual(new Set());
});

test('what comes and is compacted right behind its commit counts nowhere', async () => {
  const world = await threeSessions();
  const { facts } = world.ports;
  const commit: typeof facts.manifests.commit = async (...given) => {
    const reply = await facts.manifests.commit(...given);
    await world.arrive(visit('a', 'complete'), MARGIN_MS);
    await world.compact();
    return reply;
  };
  const manifests = { ...facts.manifests, commit };
  await erase({ ...world.ports, facts: { ...facts, manifests } }, FUNNEL, { sessionIds: ['a'] });
  world.forget(keysOf('a'));
  await world.observe();
  expect(await keysStored(world)).toEqual(new Set(keysOf('b', 'c')));
});

test('other funnels’ sessions of the same id stay', async () => {
  const world = setUp();
  const other = randomUUID();
  world.raw.add([aStoredEvent({ session_id: 'a' }), aStoredEvent({ session_id: 'a', funnel_id: other })]);
  await world.putAside(aLine({ session_id: 'a', funnel_id: other }));
  await erase(world.ports, FUNNEL, { sessionIds: ['a'] });
  expect([...world.raw.stored.values()].flat().map(({ funnel_id }) => funnel_id)).toEqual([other]);
  expect(world.waiting()).toHaveLength(1);
});

describe('a lead', () => {
  const LEAD = randomUUID();

  test('is its sessions, wherever an event names it: in raw events, and in records that wait', async () => {
    const world = setUp();
    const payload = JSON.stringify({ type: 'complete', lead: { id: LEAD.toUpperCase() } });
    await world.arrive([...visit('a', 'view'), aStoredEvent({ session_id: 'a', payload }), ...visit('b', 'view')], 0);
    await world.arrive([...visit('c', 'view'), ...visit('d', 'view')], 0);
    await world.putAside(
      aLine({ session_id: 'c', payload: JSON.stringify({ lead_id: LEAD }) }) + aLine({ session_id: 'b' }),
    );
    await world.fail(aLine({ session_id: 'd', payload: JSON.stringify({ leadId: LEAD }) }));
    const erased = await erase(world.ports, FUNNEL, { sessionIds: [], leadId: LEAD });
    expect(erased).toMatchObject({ sessions: 3, setAsideEvents: 1, unkeptEvents: 1, events: 4 });
    world.forget(keysOf('a', 'c', 'd'));
    await world.observe();
    expect(await keysStored(world)).toEqual(new Set(keysOf('b')));
    expect(world.waiting().join()).toMatch(/"session_id":"b"/);
    expect(world.waiting().join()).not.toContain(LEAD);
  });

  test('that nobody names is no session, and nothing goes', async () => {
    const world = await threeSessions();
    expect(await erase(world.ports, FUNNEL, { sessionIds: [], leadId: LEAD })).toMatchObject({
      sessions: 0,
      events: 0,
    });
    await world.observe();
  });
});

describe('records that nobody can read', () => {
  test.each([
    ['a line that is cut off', '{"session_id":"secret-1","funn', 1],
    ['bytes beside it', Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.from('x "secret-1" y')]), 1],
    ['another spelling', '{"sessionId":"secret-1"}', 1],
    ['another session', '{"sessionId":"secret-12"}', 0],
  ])('lose the lines in which the id stands: %s', async (_, data, lines) => {
    const world = setUp();
    await world.putAside(data);
    expect((await erase(world.ports, FUNNEL, { sessionIds: ['secret-1'] })).setAsideEvents).toBe(lines);
    expect(world.waiting().join().includes('"secret-1"')).toBe(false);
  });

  test('keep every other byte', async () => {
    const world = setUp();
    const rest = Buffer.from([0xff, 0, 10, 13, 10, 0x80]);
    await world.putAside(Buffer.concat([rest.subarray(0, 3), Buffer.from('"secret-1"\n'), rest.subarray(3)]));
    await erase(world.ports, FUNNEL, { sessionIds: ['secret-1'] });
    const [left] = [...world.setAside.stored.values()].map((bytes) => JSON.parse(Buffer.from(bytes).toString()));
    expect(Buffer.from(left.data, 'base64')).toEqual(rest);
    expect(left.reason).toBe('why');
  });
});
