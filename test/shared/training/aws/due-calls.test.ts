import { describe, expect, test } from 'vitest';
import type { CallStatus } from '../../../../shared/training/call.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { LATER, result, STATUSES, inState as stateIn, worlds } from '../../../support/training/call-repositories.ts';
import { aConversation, type MemoryCall, MINUTE_MS } from '../../../support/training/calls.ts';

useDynamo();

describe.each(worlds)('$name', (world) => {
  const inState = (status: CallStatus) => stateIn(world, status);

  test('is due for as long as something is left to do, and no longer', async () => {
    for (const status of STATUSES) {
      const { seen } = await inState(status);
      expect({ status, isDue: (await seen()).isDue }).toEqual({
        status,
        isDue: !['failed', 'abandoned'].includes(status),
      });
    }
    const { calls, call, seen } = await inState('processing');
    await calls.complete(call, { ...result, recordingKey: 'recordings/a/b.mp3', dueAtMs: undefined });
    expect((await seen()).isDue).toBe(false);
  });

  test('what was seen due is put off once, and counted', async () => {
    const { calls, found } = await inState('processing');
    const seen = await found();
    const both = await Promise.all([calls.reschedule(seen, LATER + 1), calls.reschedule(seen, LATER + 2)]);
    expect(both.toSorted()).toEqual(['applied', 'stale']);
    const after = await found();
    expect(after).toMatchObject({ status: 'processing', attempts: 1, conversation: seen.conversation });
    expect(await calls.reschedule(after, LATER + 3)).toBe('applied');
    expect(await found()).toMatchObject({ attempts: 2, dueAtMs: LATER + 3 });
  });

  test('what has moved on is not put off', async () => {
    const { calls, call, found } = await inState('pending');
    const seen = await found();
    await calls.startProcessing(call, aConversation(), seen.dueAtMs ?? 0);
    expect(await calls.reschedule(seen, LATER)).toBe('stale');
    expect(await found()).toMatchObject({ status: 'processing', attempts: 0, dueAtMs: seen.dueAtMs });
    const done = await inState('failed');
    expect(await done.calls.reschedule(await done.found(), LATER)).toBe('stale');
    expect((await done.seen()).isDue).toBe(false);
  });

  test('is put off blindly to a later time only, and never made due again', async () => {
    const { calls, call, found } = await inState('processing');
    expect(await calls.forceReschedule(call, LATER)).toBe('stale');
    expect(await calls.forceReschedule(call, LATER + 1)).toBe('applied');
    expect(await found()).toMatchObject({ dueAtMs: LATER + 1, attempts: 0 });
    const done = await inState('abandoned');
    expect(await done.calls.forceReschedule(done.call, LATER)).toBe('stale');
    expect((await done.seen()).isDue).toBe(false);
  });

  test('a recording is settled once; one that comes after it was given up is still taken', async () => {
    const { calls, call, found, seen } = await inState('ready');
    expect(await calls.completeRecording(call, null)).toBe('applied');
    expect((await seen()).isDue).toBe(false);
    expect(await calls.completeRecording(call, null)).toBe('stale');
    expect(await calls.completeRecording(call, 'recordings/a/b.mp3')).toBe('applied');
    expect(await calls.completeRecording(call, 'recordings/a/b.wav')).toBe('stale');
    expect(await calls.completeRecording(call, null)).toBe('stale');
    expect(await found()).toMatchObject({ status: 'ready', recordingKey: 'recordings/a/b.mp3' });
  });

  test.each(STATUSES.filter((status) => status !== 'ready'))('a %s call takes no recording', async (status) => {
    const { calls, call, found } = await inState(status);
    const before = await found();
    expect(await calls.completeRecording(call, 'recordings/a/b.mp3')).toBe('stale');
    expect(await calls.completeRecording(call, null)).toBe('stale');
    expect(await found()).toEqual(before);
  });

  test('lists what is due, the longest first, and at most so many', async () => {
    const { calls, add } = world.open();
    const PAST = Date.UTC(2020, 0, 1);
    const added: MemoryCall[] = [];
    for (let at = 0; at < 12; at++) added.push(await add({ dueAtMs: PAST - at * MINUTE_MS }));
    await add({ dueAtMs: PAST + 1 });
    const ids = added.toReversed().map(({ orgId, callId }) => ({ orgId, callId }));
    expect(await calls.findDue(PAST, 200)).toEqual(ids);
    expect(await calls.findDue(PAST - 11 * MINUTE_MS, 200)).toEqual(ids.slice(0, 1));
    expect(await calls.findDue(PAST - 12 * MINUTE_MS, 200)).toEqual([]);
    expect((await calls.findDue(PAST, 1)).length).toBe(1);
  });
});
