import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHandler } from '../../../../functions/background/erase-late/handler.ts';
import { sessionKey } from '../../../../shared/analytics/events/session-key.ts';
import { LeaseTimeoutError, type WithLease } from '../../../../shared/platform/lease.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';
import { MAY_31 } from '../../../support/analytics/analytics.ts';
import { aStoredEvent } from '../../../support/analytics/lake.ts';
import { pass } from '../../../support/analytics/maintenance-world.ts';
import { createMemoryRawEventStore, createMemoryTombstones, FUNNEL } from '../../../support/analytics/memory-stores.ts';
import { withUncontendedLease } from '../../../support/platform/lease.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: MAY_31 }));
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;
const OTHER = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a02';

function memoryRuns() {
  let last: number | undefined;
  const save = async (ms: number) => {
    last = ms;
  };
  return { load: async () => last, save };
}

function setUp(timeLeftMs = 15 * 60_000, withLease: WithLease = withUncontendedLease) {
  const [raw, tombstones] = [createMemoryRawEventStore(), createMemoryTombstones()];
  const logged: string[] = [];
  const log = createJsonLogger({}, (line) => void logged.push(line));
  const checkpoint = memoryRuns();
  const ports = { raw, tombstones, withLease, checkpoint, clock: { now: () => Date.now() }, log };
  const handler = createHandler(ports);
  const run = () => handler({}, { getRemainingTimeInMillis: () => timeLeftMs });
  const left = () =>
    [...raw.stored.values()].flat().map((row) => `${row.funnel_id === FUNNEL ? '' : 'other '}${row.session_id}`);
  const erase = (funnelId: string, session: string) =>
    tombstones.addSessions(funnelId, [sessionKey(funnelId, session)]);
  return { raw, tombstones, run, left, erase, logged, checkpoint };
}

const row = (session: string, funnel = FUNNEL) => aStoredEvent({ funnel_id: funnel, session_id: session });

test('late events of erased sessions are removed from the raw events of the funnel, and not from other funnels', async () => {
  const { raw, run, left, erase, logged } = setUp();
  await erase(FUNNEL, 'a');
  await erase(OTHER, 'b');
  pass(HOUR_MS);
  raw.add([row('a'), row('b'), row('a', OTHER), row('b', OTHER)]);
  raw.add([row('a')]);
  raw.add([row('c')]);
  await run();
  expect(left().sort()).toEqual(['b', 'c', 'other a']);
  expect(logged.join()).toContain('"files":2,"events":3');
  logged.length = 0;
  await run();
  expect(logged).toEqual([]);
});

const LEAD = '3f1d7a55-0a7c-4a4e-9c53-6b0c4d3a9e11';
const naming = (session: string, funnel = FUNNEL) => ({ ...row(session, funnel), payload: `{"leadId":"${LEAD}"}` });

test('if a late event contains the id of an erased lead, the whole session of the event is erased, even from old files', async () => {
  const { raw, tombstones, run, left } = setUp();
  raw.add([row('a'), row('b'), row('a', OTHER)]);
  await tombstones.addLeads(FUNNEL, [LEAD]);
  pass(50 * HOUR_MS);
  raw.add([naming('a'), naming('a', OTHER), row('c')]);
  await run();
  expect(left().sort()).toEqual(['b', 'c', 'other a', 'other a']);
  expect(await tombstones.listSessionKeys(FUNNEL)).toEqual([sessionKey(FUNNEL, 'a')]);
  expect(await tombstones.listSessionKeys(OTHER)).toEqual([]);
});

test('after a crash at any removal, the next run completes the erasure of late events', async () => {
  for (let dieAt = 0, died = true; died; dieAt++) {
    const { raw, tombstones, run, left } = setUp();
    const remove = raw.removeSessions;
    let calls = 0;
    died = false;
    raw.removeSessions = async (...given) => {
      died = calls++ === dieAt;
      if (died) throw new Error('killed');
      return remove(...given);
    };
    for (const session of ['b', 'c']) raw.add([row('a'), row(session)]);
    await tombstones.addLeads(FUNNEL, [LEAD]);
    pass(50 * HOUR_MS);
    raw.add([naming('a')]);
    raw.add([naming('a'), row('d')]);
    await run().catch(() => undefined);
    raw.removeSessions = remove;
    pass(24 * HOUR_MS);
    await run();
    expect([dieAt, left().sort()]).toEqual([dieAt, ['b', 'c', 'd']]);
  }
});

test('if no run was missed, eraseLateEvents searches only files of the last 49 hours for erased sessions', async () => {
  const { raw, run, erase } = setUp();
  await erase(FUNNEL, 'a');
  raw.add([row('d')]);
  pass(50 * HOUR_MS);
  raw.add([row('e')]);
  const opened: string[] = [];
  const open = raw.open;
  raw.open = (key, look) => {
    opened.push(key);
    return open(key, look);
  };
  await run();
  expect(opened).toEqual(['events/arrival_date=2026-05-31/2']);
});

test('late events are removed even if the clock was ahead when the tombstone was written', async () => {
  const { raw, run, left, erase } = setUp();
  pass(HOUR_MS);
  await erase(FUNNEL, 'a');
  pass(-HOUR_MS);
  raw.add([row('a'), row('b')]);
  await run();
  expect(left()).toEqual(['b']);
});

test('eraseLateEvents reads no raw event file if nothing was erased', async () => {
  const { raw, run } = setUp();
  raw.add([row('a')]);
  raw.open = () => Promise.reject(new Error('looked into'));
  await run();
});

test('if less than 60 seconds remain before the first file, eraseLateEvents throws and removes no event', async () => {
  const { raw, run, left, erase } = setUp(59_000);
  await erase(FUNNEL, 'a');
  raw.add([row('a')]);
  await expect(run()).rejects.toThrow('The run was out of time');
  expect(left()).toEqual(['a']);
});

const busy: WithLease = () => Promise.reject(new LeaseTimeoutError('Another erasure is under way.'));

test('if another process holds the lease a day after the last complete run, a run logs a delay; after two days, it throws', async () => {
  let withLease: WithLease = withUncontendedLease;
  const { raw, run, left, erase, logged } = setUp(undefined, (work) => withLease(work));
  await erase(FUNNEL, 'a');
  await run();
  raw.add([row('a'), row('b')]);
  withLease = busy;
  pass(24 * HOUR_MS);
  await run();
  expect([left().sort(), logged.join()]).toEqual([
    ['a', 'b'],
    expect.stringContaining('another process held the lease'),
  ]);
  pass(24 * HOUR_MS);
  await expect(run()).rejects.toThrow('Late events of erased sessions were not erased');
  withLease = withUncontendedLease;
  pass(24 * HOUR_MS);
  await run();
  expect(left()).toEqual(['b']);
});

test('eraseLateEvents throws if it does not get the lease and no run has ever completed', async () => {
  const { raw, run, left, erase } = setUp(undefined, busy);
  await erase(FUNNEL, 'a');
  raw.add([row('a')]);
  await expect(run()).rejects.toThrow('Late events of erased sessions were not erased');
  expect(left()).toEqual(['a']);
});

test('eraseLateEvents completes without the lease if nothing was erased', async () => {
  const { run, checkpoint } = setUp(undefined, busy);
  await run();
  expect(await checkpoint.load()).toBe(MAY_31);
});
