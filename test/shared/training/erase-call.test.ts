import { describe, expect, test } from 'vitest';
import { eraseCall, previewEraseCall } from '../../../shared/training/erase-call.ts';
import { MINUTE_MS } from '../../support/training/calls.ts';
import { completeErasures, erasureWorld, keysOf, remainsOf } from '../../support/training/erasures.ts';
import { createFaultInjector, FAULTS } from '../../support/training/lifecycle-runs.ts';

/** What remains of a call that was not erased. */
const everythingOf = (call: Parameters<typeof keysOf>[0]) => [
  'item',
  ...keysOf(call),
  'look-up item',
  'webhook messages',
  'conversation at the provider',
];
const NOTHING = { transcripts: 0, recordings: 0, conversations: 0 };

test('eraseCall erases the item, look-up item, objects and conversation of a call, and nothing of another call', async () => {
  const world = erasureWorld();
  const [call, other] = [world.addReady(), world.addReady()];
  expect(await world.erase(call)).toEqual({ outcome: 'erased', transcripts: 2, recordings: 1, conversations: 1 });
  expect(remainsOf(world, call)).toEqual(['erasure record']);
  expect(remainsOf(world, other)).toEqual(everythingOf(other));
});

test('an erasure leaves a record without any content of the call; a sweep at least 15 minutes later deletes the record', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  await world.erase(call);
  const { orgId, callId, conversationId } = call;
  expect(world.records.get(callId)).toEqual({
    orgId,
    callId,
    conversationId,
    cleared: true,
    dueAtMs: world.clock.ms + 15 * MINUTE_MS,
  });
  world.clock.ms += 15 * MINUTE_MS - 1;
  expect(await world.sweepErasures()).toEqual(new Map());
  world.clock.ms += 1;
  expect(await world.sweepErasures()).toEqual(new Map([['settled', 1]]));
  expect(remainsOf(world, call)).toEqual([]);
});

test.each(['ready', 'failed', 'abandoned'] as const)('eraseCall erases a call that is %s', async (status) => {
  const world = erasureWorld();
  const call = world.addReady({ status });
  expect(await world.erase(call)).toMatchObject({ outcome: 'erased' });
  await completeErasures(world);
  expect(remainsOf(world, call)).toEqual([]);
});

test('eraseCall erases a call that waits for its recording, and a later analysis does not store the recording', async () => {
  const world = erasureWorld();
  const call = world.addReady({ dueAtMs: world.clock.ms });
  await world.erase(call);
  expect(await world.processOf().analyse(call)).toBe('nothing');
  await completeErasures(world);
  expect(remainsOf(world, call)).toEqual([]);
});

describe.each(['pending', 'processing'] as const)('a call that is %s', (status) => {
  test('is not erased', async () => {
    const world = erasureWorld();
    const call = world.addReady({ status });
    expect(await world.erase(call)).toEqual({ outcome: 'in_progress', ...NOTHING });
    expect(remainsOf(world, call)).toEqual(everythingOf(call));
  });

  test('is erased after it has ended if the option `later` is set', async () => {
    const world = erasureWorld();
    const call = world.addReady({ status });
    expect(await eraseCall(world.portsOf(), call, { later: true })).toEqual({ outcome: 'in_progress', ...NOTHING });
    world.clock.ms += 15 * MINUTE_MS;
    expect(await world.sweepErasures()).toEqual(new Map([['in_progress', 1]]));
    expect(world.calls.stored.get(call.callId)).toMatchObject({ status });
    world.calls.stored.set(call.callId, { ...call, status: 'ready' });
    await completeErasures(world);
    expect(remainsOf(world, call)).toEqual([]);
  });
});

test('if the provider cannot delete the conversation, eraseCall erases nothing; a later attempt erases everything', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  world.provider.reachable = false;
  await expect(world.erase(call)).rejects.toThrow('could not be reached');
  expect(remainsOf(world, call)).toEqual(everythingOf(call));
  world.provider.reachable = true;
  await world.erase(call);
  await completeErasures(world);
  expect(remainsOf(world, call)).toEqual([]);
});

test('eraseCall erases a call whose conversation does not exist at the provider', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  world.provider.conversations.clear();
  expect(await world.erase(call)).toMatchObject({ outcome: 'erased', conversations: 0 });
});

test('eraseCall returns `unknown` for an unknown call and for an erased call', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  const { effects, around } = countEffects();
  expect(await world.erase({ orgId: call.orgId, callId: 'other' }, around)).toEqual({ outcome: 'unknown', ...NOTHING });
  expect(effects).toEqual(['erasures.findCall', 'erasures.find']);
  await world.erase(call);
  expect(await world.erase(call)).toEqual({ outcome: 'unknown', ...NOTHING });
});

test('eraseCall returns `unknown` for a call of another organization, and erases nothing', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  expect(await world.erase({ ...call, orgId: 'other' })).toMatchObject({ outcome: 'unknown' });
  expect(remainsOf(world, call)).toHaveLength(keysOf(call).length + 4);
});

test.each(FAULTS)(
  'if an erasure has the fault “%s” at any invocation of a port, a retry of the erasure erases all',
  async (fault) => {
    const { process, seen } = createFaultInjector(() => undefined);
    const sample = erasureWorld();
    await sample.erase(sample.addReady(), process());
    expect(seen.length).toBeGreaterThan(8);
    for (const at of seen.keys()) {
      for (const isRetried of [true, false]) {
        const world = erasureWorld();
        const call = world.addReady();
        const failing = createFaultInjector((effect) => (effect === at ? fault : undefined));
        await world.erase(call, failing.process()).catch(() => undefined);
        const isBegun = world.records.size > 0;
        if (isRetried) await world.erase(call);
        await completeErasures(world);
        const of = `${seen[at]} ${fault}`;
        if (isRetried || isBegun) expect({ of, left: remainsOf(world, call) }).toEqual({ of, left: [] });
        else expect({ of, isWhole: world.calls.stored.has(call.callId) }).toEqual({ of, isWhole: true });
      }
    }
  },
);

test('if the provider has the conversation, the preview of an erasure returns the counts of the erasure; it only reads', async () => {
  const world = erasureWorld();
  const call = world.addReady();
  const { effects, around } = countEffects();
  const counted = await previewEraseCall(world.portsOf(around), call);
  expect(effects).toEqual(['erasures.findCall', 'objects.count', 'objects.count']);
  expect(counted).toEqual(await world.erase(call));
});

function countEffects() {
  const effects: string[] = [];
  const around = <T>(effect: string, work: () => Promise<T>) => {
    effects.push(effect);
    return work();
  };
  return { effects, around };
}
