import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eraseSessions } from '../../../../../infra/cli/analytics/erasure/erase-sessions.ts';
import { runMinorCompactions } from '../../../../../shared/analytics/compaction/minor-compaction.ts';
import { MAY_31 } from '../../../../support/analytics/analytics.ts';
import { createErasureWorld, keysOf, keysStored } from '../../../../support/analytics/erasure-world.ts';
import { aStoredEvent } from '../../../../support/analytics/lake.ts';
import { MARGIN_MS, pass } from '../../../../support/analytics/maintenance-world.ts';
import { aLine, FUNNEL } from '../../../../support/analytics/memory-stores.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: MAY_31 }));
afterEach(() => void vi.useRealTimers());

const visit = (session: string, ...kinds: string[]) =>
  kinds.map((kind, at) => aStoredEvent({ session_id: session, kind, time_ms: MAY_31 + at }));

/** A world of three sessions with raw events and with facts in a file. Session a also has a fresh fact. */
async function threeSessions() {
  const world = createErasureWorld();
  await world.arrive([...visit('a', 'view'), ...visit('b', 'start'), ...visit('c', 'view')], 0);
  pass(MARGIN_MS);
  await world.compact();
  await world.arrive(visit('a', 'complete'), 0);
  return world;
}

test('an erasure reports what it removed from each store', async () => {
  const world = await threeSessions();
  await world.putAside(aLine({ session_id: 'a' }));
  await world.fail(aLine({ session_id: 'a' }) + aLine({ session_id: 'a' }));
  const expected = {
    sessions: 1,
    requestedSessions: 1,
    freshFacts: 1,
    factFiles: 1,
    facts: 1,
    unlistedFiles: 0,
    oldVersions: 0,
    rawFiles: 2,
    events: 2,
    deadLetterEvents: 1,
    deliveryErrorEvents: 2,
  };
  expect(await eraseSessions(world.ports, FUNNEL, { sessionIds: ['a'] })).toEqual(expected);
  expect(world.waiting()).toEqual([]);
});

test('a dry run reports what the erasure would remove, and changes nothing', async () => {
  const world = await threeSessions();
  await world.putAside(aLine({ session_id: 'a' }));
  const before = await world.stores.manifests.read(FUNNEL);
  const report = await eraseSessions(world.ports, FUNNEL, { sessionIds: ['a'] }, { dryRun: true });
  expect(report).toMatchObject({ sessions: 1, freshFacts: 1, factFiles: 1, facts: 1, events: 2, deadLetterEvents: 1 });
  expect(await world.stores.manifests.read(FUNNEL)).toEqual(before);
  expect(await world.tombstones.listSessionKeys(FUNNEL)).toEqual([]);
  expect(await keysStored(world)).toEqual(new Set(keysOf('a', 'b', 'c')));
  expect(world.deadLetters.stored.size).toBe(1);
  await world.observe();
});

test('a repeated erasure of a session restarts the TTL of its tombstone, and of no other tombstone', async () => {
  const world = await threeSessions();
  await eraseSessions(world.ports, FUNNEL, { sessionIds: ['a', 'b'] });
  pass(1_000);
  await eraseSessions(world.ports, FUNNEL, { sessionIds: ['b'] });
  pass(1_000);
  await eraseSessions(world.ports, FUNNEL, { sessionIds: [] });
  const since = new Map(
    (await world.tombstones.listAllSessions()).map(({ sessionKey: key, sinceMs }) => [key, sinceMs]),
  );
  const [a, b] = keysOf('a', 'b').map((key) => since.get(key) ?? 0);
  expect((b ?? 0) - (a ?? 0)).toBe(1_000);
});

test('an erasure that selects no session does not change the manifest if the funnel has no tombstones', async () => {
  const world = await threeSessions();
  const before = await world.stores.manifests.read(FUNNEL);
  expect(await eraseSessions(world.ports, FUNNEL, { sessionIds: [] })).toMatchObject({
    sessions: 0,
    facts: 0,
    events: 0,
  });
  expect(await world.stores.manifests.read(FUNNEL)).toEqual(before);
});

test('an erasure retires the file it replaces, marks all retired files for a purge, and increments the generation', async () => {
  const world = await threeSessions();
  const before = await world.stores.manifests.read(FUNNEL);
  await world.stores.manifests.replaceIfUnchanged(FUNNEL, before, {
    ...before,
    retired: [{ name: 'earlier', retiredMs: 1 }],
  });
  await eraseSessions(world.ports, FUNNEL, { sessionIds: ['a'] });
  const { generation, retired } = await world.stores.manifests.read(FUNNEL);
  expect(generation).toBe(before.generation + 1);
  expect(retired).toEqual([
    { name: 'earlier', retiredMs: 1, purgeVersions: true },
    { name: before.files[0]?.name, retiredMs: Date.now(), purgeVersions: true },
  ]);
});

test('if fresh facts are erased after a compaction has read them, the compaction is superseded and adds no file', async () => {
  const world = createErasureWorld();
  await world.arrive(visit('a', 'view'), 0);
  const { stores, ports } = world;
  const write: typeof stores.writer.write = async (...given) => {
    await eraseSessions(ports, FUNNEL, { sessionIds: ['a'] });
    return stores.writer.write(...given);
  };
  expect(await runMinorCompactions({ ...stores, writer: { write } })).toMatchObject([{ outcome: 'superseded' }]);
  expect((await stores.manifests.read(FUNNEL)).files).toEqual([]);
  expect(await keysStored(world)).toEqual(new Set());
});

test('events of an erased session are not counted, even if they are compacted right after the commit of the erasure', async () => {
  const world = await threeSessions();
  const { facts } = world.ports;
  const replaceIfUnchanged: typeof facts.manifests.replaceIfUnchanged = async (...given) => {
    const reply = await facts.manifests.replaceIfUnchanged(...given);
    await world.arrive(visit('a', 'complete'), MARGIN_MS);
    await world.compact();
    return reply;
  };
  const manifests = { ...facts.manifests, replaceIfUnchanged };
  await eraseSessions({ ...world.ports, facts: { ...facts, manifests } }, FUNNEL, { sessionIds: ['a'] });
  world.forget(keysOf('a'));
  await world.observe();
  expect(await keysStored(world)).toEqual(new Set(keysOf('b', 'c')));
});

test('an erasure keeps a session with the same id in another funnel', async () => {
  const world = createErasureWorld();
  const other = randomUUID();
  world.raw.add([aStoredEvent({ session_id: 'a' }), aStoredEvent({ session_id: 'a', funnel_id: other })]);
  await world.putAside(aLine({ session_id: 'a', funnel_id: other }));
  await eraseSessions(world.ports, FUNNEL, { sessionIds: ['a'] });
  expect([...world.raw.stored.values()].flat().map(({ funnel_id }) => funnel_id)).toEqual([other]);
  expect(world.waiting()).toHaveLength(1);
});

describe('an erasure by lead id', () => {
  const LEAD = randomUUID();

  test('erases the sessions of all events that name the lead, in raw events, dead letters and delivery errors', async () => {
    const world = createErasureWorld();
    const payload = JSON.stringify({ type: 'complete', lead: { id: LEAD.toUpperCase() } });
    await world.arrive([...visit('a', 'view'), aStoredEvent({ session_id: 'a', payload }), ...visit('b', 'view')], 0);
    await world.arrive([...visit('c', 'view'), ...visit('d', 'view')], 0);
    await world.putAside(
      aLine({ session_id: 'c', payload: JSON.stringify({ lead_id: LEAD }) }) + aLine({ session_id: 'b' }),
    );
    await world.fail(aLine({ session_id: 'd', payload: JSON.stringify({ leadId: LEAD }) }));
    const erased = await eraseSessions(world.ports, FUNNEL, { sessionIds: [], leadIds: [LEAD] });
    expect(erased).toMatchObject({ sessions: 3, deadLetterEvents: 1, deliveryErrorEvents: 1, events: 4 });
    world.forget(keysOf('a', 'c', 'd'));
    await world.observe();
    expect(await keysStored(world)).toEqual(new Set(keysOf('b')));
    expect(world.waiting().join()).toMatch(/"session_id":"b"/);
    expect(world.waiting().join()).not.toContain(LEAD);
  });

  test('selects no session if no event names the lead', async () => {
    const world = await threeSessions();
    expect(await eraseSessions(world.ports, FUNNEL, { sessionIds: [], leadIds: [LEAD] })).toMatchObject({
      sessions: 0,
      events: 0,
    });
    await world.observe();
  });
});

describe('in an erasure, an unreadable record', () => {
  test.each([
    ['loses a line that is cut off after the session id', '{"session_id":"secret-1","funn', 1],
    [
      'loses a line that is no JSON and contains the session id',
      Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.from('x "secret-1" y')]),
      1,
    ],
    ['loses a line with the session id in an unknown property', '{"sessionId":"secret-1"}', 1],
    ['keeps a line with a longer session id', '{"sessionId":"secret-12"}', 0],
  ])('%s', async (_, data, lines) => {
    const world = createErasureWorld();
    await world.putAside(data);
    expect((await eraseSessions(world.ports, FUNNEL, { sessionIds: ['secret-1'] })).deadLetterEvents).toBe(lines);
    expect(world.waiting().join().includes('"secret-1"')).toBe(false);
  });

  test('keeps all bytes of the lines without the session id', async () => {
    const world = createErasureWorld();
    const rest = Buffer.from([0xff, 0, 10, 13, 10, 0x80]);
    await world.putAside(Buffer.concat([rest.subarray(0, 3), Buffer.from('"secret-1"\n'), rest.subarray(3)]));
    await eraseSessions(world.ports, FUNNEL, { sessionIds: ['secret-1'] });
    const [left] = [...world.deadLetters.stored.values()].map((bytes) => JSON.parse(Buffer.from(bytes).toString()));
    expect(Buffer.from(left.data, 'base64')).toEqual(rest);
    expect(left.reason).toBe('why');
  });
});
