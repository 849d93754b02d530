import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../functions/background/sweep-calls/handler.ts';
import type { CallRepository, ConversationState } from '../../../shared/training/ports.ts';
import { type CallSweepPorts, sweepCalls } from '../../../shared/training/sweep-calls.ts';
import { VoiceProviderError } from '../../../shared/training/voice-provider-errors.ts';
import {
  aCall,
  aConversation,
  HOUR_MS,
  type MemoryCall,
  MINUTE_MS,
  memoryCalls,
  NOON,
} from '../../support/training/calls.ts';

const DOWN = new VoiceProviderError('The voice provider answered 503.');

type Answer = ConversationState | Error;

/** The sweeper at noon, with a provider that answers the same of every conversation. */
function setUp(answer: Answer | ((conversationId: string) => Answer) = { state: 'unknown' }) {
  const clock = { ms: NOON, now: () => clock.ms };
  const calls = memoryCalls(clock);
  const objects = new Map<string, Uint8Array>();
  const started: string[] = [];
  const asked: string[] = [];
  const counts = new Map<string, number>();
  const ports: CallSweepPorts = {
    calls,
    transcripts: { put: async (key, compressed) => void objects.set(key, compressed) },
    voice: {
      readConversation: async (id) => {
        asked.push(id);
        const said = typeof answer === 'function' ? answer(id) : answer;
        if (said instanceof Error) throw said;
        return said;
      },
    },
    invokeProcessCall: async ({ callId }) => void started.push(callId),
    clock,
    log: {
      ...{ info: () => undefined, warn: () => undefined, error: () => undefined },
      recordMetric: (metric, value = 1) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
    },
  };
  /** A call of this age that is due now. */
  const due = (said: Partial<MemoryCall> = {}, ageMs = HOUR_MS) =>
    calls.add(aCall({ createdAtMs: NOON - ageMs, dueAtMs: NOON, ...said }));
  const at = ({ callId }: MemoryCall) => calls.stored.get(callId);
  const sweep = async (changed: Partial<CallSweepPorts> = {}) =>
    Object.fromEntries(await sweepCalls({ ...ports, ...changed }));
  return { clock, calls, objects, started, asked, counts, ports, due, at, sweep };
}

const ended = (text = 'Hello'): ConversationState => ({
  state: 'ended',
  conversation: {
    conversationId: 'conv',
    turns: [{ role: 'user', message: text, timeInCallSecs: 1 }],
    ...{ durationSeconds: 9, interruptions: 1, hasAudio: false },
  },
});

describe('a pending call', () => {
  test('whose conversation is over goes on as by its webhook', async () => {
    const { due, at, sweep, started, objects } = setUp(ended());
    const call = due();
    expect(await sweep()).toEqual({ begun: 1 });
    expect(at(call)).toMatchObject({
      status: 'processing',
      attempts: 0,
      dueAtMs: NOON + 15 * MINUTE_MS,
      conversation: { durationSeconds: 9, interruptions: 1, hasAudio: false },
    });
    expect([started, objects.size]).toEqual([[call.callId], 0]);
  });

  test('with a long transcript has it in the bucket before it goes on', async () => {
    const { due, at, sweep, objects } = setUp(ended(randomBytes(300_000).toString('base64')));
    const call = due();
    await sweep();
    expect(at(call)?.conversation?.transcript).toEqual({ key: [...objects.keys()][0] });
  });

  test('that the provider could not start has failed, for the provider’s reason', async () => {
    const { due, at, sweep, started } = setUp({ state: 'failed', reason: 'The line broke.' });
    const call = due();
    expect(await sweep()).toEqual({ refused: 1 });
    expect(at(call)).toMatchObject({ status: 'failed', failureReason: 'The line broke.', dueAtMs: undefined });
    expect(started).toEqual([]);
  });

  test.each([
    ['in progress', { state: 'in-progress' }, 5.9, 'waiting', 'pending'],
    ['unknown', { state: 'unknown' }, 5.9, 'waiting', 'pending'],
    ['in progress', { state: 'in-progress' }, 6, 'abandoned', 'abandoned'],
    ['unknown', { state: 'unknown' }, 6, 'abandoned', 'abandoned'],
    ['not to be asked about', DOWN, 23.9, 'waiting', 'pending'],
    ['not to be asked about', DOWN, 24, 'abandoned', 'abandoned'],
  ] as const)('whose conversation is %s (%j) after %f hours: %s', async (_, answer, hours, swept, status) => {
    const { due, at, sweep, started } = setUp(answer);
    const call = due({}, hours * HOUR_MS);
    expect(await sweep()).toEqual({ [swept]: 1 });
    const dueAtMs = status === 'pending' ? NOON + HOUR_MS : undefined;
    expect(at(call)).toMatchObject({ status, dueAtMs, failureReason: null });
    expect(started).toEqual([]);
  });

  test('that is over when it is asked at last is not abandoned, however old', async () => {
    const { due, at, sweep } = setUp(ended());
    const call = due({}, 40 * HOUR_MS);
    await sweep();
    expect(at(call)).toMatchObject({ status: 'processing' });
  });

  test('whose webhook comes while the provider is asked is left to it', async () => {
    const { due, at, sweep, calls, ports, started } = setUp();
    const call = due({}, 7 * HOUR_MS);
    const conversation: CallSweepPorts['voice']['readConversation'] = async () => {
      await calls.startProcessing(call, aConversation(), NOON + 1);
      return { state: 'unknown' };
    };
    expect(await sweep({ ...ports, voice: { readConversation: conversation } })).toEqual({ overtaken: 1 });
    expect([at(call)?.status, started]).toEqual(['processing', []]);
  });

  test('is asked about once by two sweepers', async () => {
    const { due, sweep, asked } = setUp();
    due();
    await Promise.all([sweep(), sweep()]);
    expect(asked).toHaveLength(1);
  });
});

describe('a call in processing', () => {
  test('is started again three times and has failed then, its transcript kept', async () => {
    const { due, at, sweep, started, clock, asked } = setUp();
    const conversation = aConversation();
    const call = due({ status: 'processing', conversation });
    for (const attempts of [1, 2, 3]) {
      expect(await sweep()).toEqual({ restarted: 1 });
      expect(await sweep()).toEqual({});
      clock.ms += 15 * MINUTE_MS;
      expect(at(call)).toMatchObject({ status: 'processing', attempts, dueAtMs: clock.ms });
    }
    expect(await sweep()).toEqual({ failed: 1 });
    expect(at(call)).toMatchObject({ status: 'failed', conversation, dueAtMs: undefined, score: null });
    expect(at(call)?.failureReason).toMatch(/^This call could not be scored.+can be read\.$/);
    expect([started.length, asked]).toEqual([3, []]);
  });

  test('loses no round while nothing can be started', async () => {
    const { due, at, sweep, clock } = setUp();
    const call = due({ status: 'processing', conversation: aConversation() });
    const start = async () => {
      throw new Error('Lambda did not take it.');
    };
    for (let round = 0; round < 20; round++) {
      expect(await sweep({ invokeProcessCall: start })).toEqual({ broken: 1 });
      clock.ms += 16 * MINUTE_MS;
    }
    expect(at(call)).toMatchObject({ status: 'processing', attempts: 0 });
    expect(await sweep()).toEqual({ restarted: 1 });
  });
});

describe('a ready call without its recording', () => {
  test('is tried again after 1, 5, 15, 60 minutes, 6 and 24 hours, and then given up', async () => {
    const { due, at, started, clock, counts, ports } = setUp();
    const call = due({ status: 'ready', conversation: aConversation(), dueAtMs: NOON + MINUTE_MS });
    const tried: number[] = [];
    for (let dueAtMs = at(call)?.dueAtMs; dueAtMs !== undefined; dueAtMs = at(call)?.dueAtMs) {
      clock.ms = dueAtMs;
      const before = started.length;
      await createHandler(ports)();
      if (started.length > before) tried.push(dueAtMs);
    }
    const waits = tried.map((ms, at) => (ms - (tried[at - 1] ?? NOON)) / MINUTE_MS);
    expect(waits).toEqual([1, 5, 15, 60, 360, 1_440]);
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: null, dueAtMs: undefined });
    expect(counts.get('Calls_recording_given_up')).toBe(1);
  });
});

describe('a run', () => {
  test('does nothing for what is not due, and asks nobody', async () => {
    const { due, sweep, calls, asked, started } = setUp(ended());
    const waiting = due({ dueAtMs: NOON + 1 });
    due({ status: 'ready', dueAtMs: undefined });
    expect(await sweep()).toEqual({});
    expect([calls.stored.get(waiting.callId), asked, started]).toEqual([waiting, [], []]);
  });

  test('looks at what an index says too late again, and leaves it', async () => {
    const { due, sweep, calls, at } = setUp(ended());
    const [later, over] = [due({ dueAtMs: NOON + 1 }), due({ status: 'ready', dueAtMs: undefined })];
    const stale: CallRepository['findDue'] = async () => [later, over, aCall()];
    expect(await sweep({ calls: { ...calls, findDue: stale } })).toEqual({ overtaken: 3 });
    expect([at(later), at(over)]).toEqual([later, over]);
  });

  test('is not held up by calls that make trouble, which fail it in the end', async () => {
    const { due, at, ports, calls, counts } = setUp((id) => (id.startsWith('bad') ? DOWN : ended()));
    const bad = Array.from({ length: 500 }, (_, at) => due({ dueAtMs: NOON - 1_000, conversationId: `bad ${at}` }));
    const torn = Array.from({ length: 200 }, () => due({ dueAtMs: NOON - 500 }));
    const good = due({ dueAtMs: NOON });
    const unreadable = new Set(torn.map(({ callId }) => callId));
    const find: CallRepository['find'] = async (ids) => {
      if (unreadable.has(ids.callId)) throw new Error('not a call');
      return calls.find(ids);
    };
    const handler = createHandler({ ...ports, calls: { ...calls, find } });
    for (let run = 0; run < 3; run++) await handler().catch(() => undefined);
    expect(at(good)).toMatchObject({ status: 'processing' });
    expect(bad.every((call) => at(call)?.dueAtMs === NOON + HOUR_MS)).toBe(true);
    expect(torn.every((call) => (at(call)?.dueAtMs ?? 0) > NOON)).toBe(true);
    expect(counts.get('Calls_error')).toBe(200);
    due({ dueAtMs: NOON - 1, callId: torn[0]?.callId ?? '' });
    await expect(handler()).rejects.toThrow('1 calls could not be processed.');
  });

  test('ends in its time, however slow the provider, and leaves the rest to the next', async () => {
    const { due, sweep, clock, calls } = setUp();
    for (let at = 0; at < 100; at++) due();
    const conversation: CallSweepPorts['voice']['readConversation'] = async () => {
      clock.ms += 20_000;
      throw DOWN;
    };
    const { waiting = 0 } = await sweep({ voice: { readConversation: conversation } });
    expect(waiting).toBeGreaterThan(0);
    expect(clock.ms - NOON).toBeLessThan(160_000);
    expect((await calls.findDue(clock.ms, 200)).length).toBe(100 - waiting);
  });

  test('whose table can not be read fails', async () => {
    const { ports, calls } = setUp();
    const due: CallRepository['findDue'] = async () => {
      throw new Error('throttled');
    };
    await expect(createHandler({ ...ports, calls: { ...calls, findDue: due } })()).rejects.toThrow('throttled');
  });
});
