import { describe, expect, test } from 'vitest';
import { eraseCallsConcurrently } from '../../../infra/cli/training/erase-calls-concurrently.ts';
import { eraseCall, previewEraseCall } from '../../../shared/training/erase-call.ts';
import { aConversation, MINUTE_MS } from '../../support/training/calls.ts';
import { completeErasures, erasureWorld, keysOf, remainsOf } from '../../support/training/erasures.ts';
import { createFaultInjector, FAULTS } from '../../support/training/lifecycle-runs.ts';

const NONE = { transcripts: 0, recordings: 0, conversations: 0 };

test('a call goes with its item, look-up, every object and what the provider keeps; another one stays', async () => {
  const world = erasureWorld();
  const [call, other] = [world.addReady(), world.addReady()];
  expect(await world.erase(call)).toEqual({ outcome: 'erased', transcripts: 2, recordings: 1, conversations: 1 });
  expect(remainsOf(world, call)).toEqual(['erasure record']);
  expect(remainsOf(world, other)).toEqual([
    'item',
    ...keysOf(other),
    'conversation look-up',
    'conversation at the provider',
  ]);
});

test('what is left of an erasure holds ids alone, and goes after a quarter of an hour', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  await world.erase(call);
  const { orgId, callId, conversationId } = call;
  expect(world.records.get(callId)).toEqual({
    ...{ orgId, callId, conversationId, cleared: true },
    dueAtMs: world.clock.ms + 15 * MINUTE_MS,
  });
  world.clock.ms += 15 * MINUTE_MS - 1;
  expect(await world.sweepErasures()).toEqual(new Map());
  world.clock.ms += 1;
  expect(await world.sweepErasures()).toEqual(new Map([['settled', 1]]));
  expect(remainsOf(world, call)).toEqual([]);
});

test.each(['ready', 'failed', 'abandoned'] as const)('a call that is %s can be erased', async (status) => {
  const world = erasureWorld();
  const call = world.addReady({ status });
  expect(await world.erase(call)).toMatchObject({ outcome: 'erased' });
  await completeErasures(world);
  expect(remainsOf(world, call)).toEqual([]);
});

test('a call that waits for its recording is erased, and gets none', async () => {
  const world = erasureWorld();
  const call = world.addReady({ dueAtMs: world.clock.ms });
  await world.erase(call);
  expect(await world.processOf().analyse(call)).toBe('nothing');
  await completeErasures(world);
  expect(remainsOf(world, call)).toEqual([]);
});

describe.each(['pending', 'processing'] as const)('a call that is %s', (status) => {
  test('stays, here and at the provider, and nothing is told of it', async () => {
    const world = erasureWorld();
    const call = world.addReady({ status });
    expect(await world.erase(call)).toEqual({ outcome: 'in_progress', ...NONE });
    expect(remainsOf(world, call)).toEqual([
      'item',
      ...keysOf(call),
      'conversation look-up',
      'conversation at the provider',
    ]);
  });

  test('is erased once it has ended, when that was asked', async () => {
    const world = erasureWorld();
    const call = world.addReady({ status });
    expect(await eraseCall(world.portsOf(), call, { later: true })).toEqual({ outcome: 'in_progress', ...NONE });
    world.clock.ms += 15 * MINUTE_MS;
    expect(await world.sweepErasures()).toEqual(new Map([['in_progress', 1]]));
    expect(world.calls.stored.get(call.callId)).toMatchObject({ status });
    world.calls.stored.set(call.callId, { ...call, status: 'ready' });
    await completeErasures(world);
    expect(remainsOf(world, call)).toEqual([]);
  });
});

test('a provider that is down: nothing was erased, and the next time everything is', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  world.provider.reachable = false;
  await expect(world.erase(call)).rejects.toThrow('could not be reached');
  expect(remainsOf(world, call)).toEqual([
    'item',
    ...keysOf(call),
    'conversation look-up',
    'conversation at the provider',
  ]);
  world.provider.reachable = true;
  await world.erase(call);
  await completeErasures(world);
  expect(remainsOf(world, call)).toEqual([]);
});

test('a conversation that the provider does not know any more is done', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  world.provider.conversations.clear();
  expect(await world.erase(call)).toMatchObject({ outcome: 'erased', conversations: 0 });
});

test('an unknown call, and one that was erased, are told so', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  const { effects, around } = counting();
  expect(await world.erase({ orgId: call.orgId, callId: 'other' }, around)).toEqual({ outcome: 'unknown', ...NONE });
  expect(effects).toEqual(['erasures.findCall', 'erasures.find']);
  await world.erase(call);
  expect(await world.erase(call)).toEqual({ outcome: 'unknown', ...NONE });
});

test("another organization's call is unknown", async () => {
  const world = erasureWorld();
  const call = world.addReady();
  expect(await world.erase({ ...call, orgId: 'other' })).toMatchObject({ outcome: 'unknown' });
  expect(remainsOf(world, call)).toHaveLength(keysOf(call).length + 3);
});

test.each(FAULTS)('any one effect %s: the command run again, or the daily run alone, leaves nothing', async (fault) => {
  const { process, seen } = createFaultInjector(() => undefined);
  const sample = erasureWorld();
  await sample.erase(sample.addReady(), process());
  expect(seen.length).toBeGreaterThan(8);
  for (const at of seen.keys()) {
    for (const again of [true, false]) {
      const world = erasureWorld();
      const call = world.addReady();
      const failing = createFaultInjector((effect) => (effect === at ? fault : undefined));
      await world.erase(call, failing.process()).catch(() => undefined);
      const isBegun = world.records.size > 0;
      if (again) await world.erase(call);
      await completeErasures(world);
      const of = `${seen[at]} ${fault}`;
      if (again || isBegun) expect({ of, left: remainsOf(world, call) }).toEqual({ of, left: [] });
      else expect({ of, isWhole: world.calls.stored.has(call.callId) }).toEqual({ of, isWhole: true });
    }
  }
});

test('a dry run counts the same, and does nothing but read', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  const { effects, around } = counting();
  const counted = await previewEraseCall(world.portsOf(around), call);
  expect(effects).toEqual(['erasures.findCall', 'objects.count', 'objects.count']);
  expect(counted).toEqual(await world.erase(call));
});

test('of many calls, one that fails keeps none from being erased; what is left is named', async () => {
  const world = erasureWorld();
  const [first, broken, last] = [world.addReady(), world.addReady(), world.addReady()];
  const going = world.add({ status: 'processing', conversation: aConversation() });
  const ids = [first.callId, broken.callId, going.callId, 'other', last.callId];
  const report = await eraseCallsConcurrently(ids, async (callId) => {
    if (callId === broken.callId) throw new Error('down');
    return world.erase({ orgId: (world.calls.stored.get(callId) ?? first).orgId, callId });
  });
  expect(report).toEqual({
    ...{ calls: 2, transcripts: 4, recordings: 2, conversations: 2 },
    ...{ underWay: [going.callId], unknown: ['other'], failed: [{ callId: broken.callId, cause: expect.any(Error) }] },
  });
});

function counting() {
  const effects: string[] = [];
  const around = <T>(effect: string, work: () => Promise<T>) => {
    effects.push(effect);
    return work();
  };
  return { effects, around };
}
