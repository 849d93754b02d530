import { describe, expect, test } from 'vitest';
import { eraseCallsConcurrently } from '../../../infra/cli/training/erase-calls-concurrently.ts';
import { eraseCall, previewEraseCall } from '../../../shared/training/erase-call.ts';
import { aConversation, MINUTE_MS } from '../../support/training/calls.ts';
import { erasureWorld, keysOf, leftOf, settleAll } from '../../support/training/erasures.ts';
import { FAULTS, injector } from '../../support/training/lifecycle-runs.ts';

const NONE = { transcripts: 0, recordings: 0, conversations: 0 };

test('a call goes with its item, look-up, every object and what the provider keeps; another one stays', async () => {
  const world = erasureWorld();
  const [call, other] = [world.ready(), world.ready()];
  expect(await world.erase(call)).toEqual({ outcome: 'erased', transcripts: 2, recordings: 1, conversations: 1 });
  expect(leftOf(world, call)).toEqual(['its erasure']);
  expect(leftOf(world, other)).toEqual(['its item', ...keysOf(other), 'its look-up', 'its conversation']);
});

test('what is left of an erasure holds ids alone, and goes after a quarter of an hour', async () => {
  const world = erasureWorld();
  const call = world.ready();
  await world.erase(call);
  const { orgId, callId, conversationId } = call;
  expect(world.kept.get(callId)).toEqual({
    ...{ orgId, callId, conversationId, cleared: true },
    dueAtMs: world.clock.ms + 15 * MINUTE_MS,
  });
  world.clock.ms += 15 * MINUTE_MS - 1;
  expect(await world.settle()).toEqual(new Map());
  world.clock.ms += 1;
  expect(await world.settle()).toEqual(new Map([['settled', 1]]));
  expect(leftOf(world, call)).toEqual([]);
});

test.each(['ready', 'failed', 'abandoned'] as const)('a call that is %s can be erased', async (status) => {
  const world = erasureWorld();
  const call = world.ready({ status });
  expect(await world.erase(call)).toMatchObject({ outcome: 'erased' });
  await settleAll(world);
  expect(leftOf(world, call)).toEqual([]);
});

test('a call that waits for its recording is erased, and gets none', async () => {
  const world = erasureWorld();
  const call = world.ready({ dueAtMs: world.clock.ms });
  await world.erase(call);
  expect(await world.processOf().analyse(call)).toBe('nothing');
  await settleAll(world);
  expect(leftOf(world, call)).toEqual([]);
});

describe.each(['pending', 'processing'] as const)('a call that is %s', (status) => {
  test('stays, here and at the provider, and nothing is told of it', async () => {
    const world = erasureWorld();
    const call = world.ready({ status });
    expect(await world.erase(call)).toEqual({ outcome: 'under_way', ...NONE });
    expect(leftOf(world, call)).toEqual(['its item', ...keysOf(call), 'its look-up', 'its conversation']);
  });

  test('is erased once it has ended, when that was asked', async () => {
    const world = erasureWorld();
    const call = world.ready({ status });
    expect(await eraseCall(world.portsOf(), call, { later: true })).toEqual({ outcome: 'under_way', ...NONE });
    world.clock.ms += 15 * MINUTE_MS;
    expect(await world.settle()).toEqual(new Map([['under_way', 1]]));
    expect(world.calls.stored.get(call.callId)).toMatchObject({ status });
    world.calls.stored.set(call.callId, { ...call, status: 'ready' });
    await settleAll(world);
    expect(leftOf(world, call)).toEqual([]);
  });
});

test('a provider that is down: nothing was erased, and the next time everything is', async () => {
  const world = erasureWorld();
  const call = world.ready();
  world.provider.reachable = false;
  await expect(world.erase(call)).rejects.toThrow('could not be reached');
  expect(leftOf(world, call)).toEqual(['its item', ...keysOf(call), 'its look-up', 'its conversation']);
  world.provider.reachable = true;
  await world.erase(call);
  await settleAll(world);
  expect(leftOf(world, call)).toEqual([]);
});

test('a conversation that the provider does not know any more is done', async () => {
  const world = erasureWorld();
  const call = world.ready();
  world.provider.conversations.clear();
  expect(await world.erase(call)).toMatchObject({ outcome: 'erased', conversations: 0 });
});

test('an unknown call, and one that was erased, are told so', async () => {
  const world = erasureWorld();
  const call = world.ready();
  const { effects, around } = counting();
  expect(await world.erase({ orgId: call.orgId, callId: 'other' }, around)).toEqual({ outcome: 'unknown', ...NONE });
  expect(effects).toEqual(['erasures.findCall', 'erasures.find']);
  await world.erase(call);
  expect(await world.erase(call)).toEqual({ outcome: 'unknown', ...NONE });
});

test("another organization's call is unknown", async () => {
  const world = erasureWorld();
  const call = world.ready();
  expect(await world.erase({ ...call, orgId: 'other' })).toMatchObject({ outcome: 'unknown' });
  expect(leftOf(world, call)).toHaveLength(keysOf(call).length + 3);
});

test.each(FAULTS)('any one effect %s: the command run again, or the daily run alone, leaves nothing', async (fault) => {
  const { process, seen } = injector(() => undefined);
  const sample = erasureWorld();
  await sample.erase(sample.ready(), process());
  expect(seen.length).toBeGreaterThan(8);
  for (const at of seen.keys()) {
    for (const again of [true, false]) {
      const world = erasureWorld();
      const call = world.ready();
      const failing = injector((effect) => (effect === at ? fault : undefined));
      await world.erase(call, failing.process()).catch(() => undefined);
      const isBegun = world.kept.size > 0;
      if (again) await world.erase(call);
      await settleAll(world);
      const of = `${seen[at]} ${fault}`;
      if (again || isBegun) expect({ of, left: leftOf(world, call) }).toEqual({ of, left: [] });
      else expect({ of, isWhole: world.calls.stored.has(call.callId) }).toEqual({ of, isWhole: true });
    }
  }
});

test('a dry run counts the same, and does nothing but read', async () => {
  const world = erasureWorld();
  const call = world.ready();
  const { effects, around } = counting();
  const counted = await previewEraseCall(world.portsOf(around), call);
  expect(effects).toEqual(['erasures.findCall', 'objects.count', 'objects.count']);
  expect(counted).toEqual(await world.erase(call));
});

test('of many calls, one that fails keeps none from being erased; what is left is named', async () => {
  const world = erasureWorld();
  const [first, broken, last] = [world.ready(), world.ready(), world.ready()];
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
