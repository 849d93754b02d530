import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../functions/background/sweep-calls/handler.ts';
import type { CallRepository, ConversationState } from '../../../shared/training/ports.ts';
import { type CallSweepPorts, sweepCalls } from '../../../shared/training/sweep-calls.ts';
import { VoiceProviderError } from '../../../shared/training/voice-provider-errors.ts';
import {
  aCall,
  aConversation,
  createMemoryCalls,
  HOUR_MS,
  type MemoryCall,
  MINUTE_MS,
  NOON,
} from '../../support/training/calls.ts';

const DOWN = new VoiceProviderError('The voice provider responded with status 503.');

type ProviderState = ConversationState | Error;

/** Prepares a sweeper that runs at noon. `provided` is what the provider returns, or a function that returns it. */
function setUp(provided: ProviderState | ((conversationId: string) => ProviderState) = { state: 'unknown' }) {
  const clock = { ms: NOON, now: () => clock.ms };
  const calls = createMemoryCalls(clock);
  const objects = new Map<string, Uint8Array>();
  const started: string[] = [];
  const polled: string[] = [];
  const counts = new Map<string, number>();
  const ports: CallSweepPorts = {
    calls,
    transcripts: { put: async (key, compressed) => void objects.set(key, compressed) },
    voice: {
      readConversation: async (id) => {
        polled.push(id);
        const state = typeof provided === 'function' ? provided(id) : provided;
        if (state instanceof Error) throw state;
        return state;
      },
    },
    invokeProcessCall: async ({ callId }) => void started.push(callId),
    clock,
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
      recordMetric: (metric, value = 1) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
    },
  };
  /** Adds a call of this age that is due now. */
  const due = (overrides: Partial<MemoryCall> = {}, ageMs = HOUR_MS) =>
    calls.add(aCall({ createdAtMs: NOON - ageMs, dueAtMs: NOON, ...overrides }));
  const at = ({ callId }: MemoryCall) => calls.stored.get(callId);
  const sweep = async (replaced: Partial<CallSweepPorts> = {}) =>
    Object.fromEntries(await sweepCalls({ ...ports, ...replaced }));
  return { clock, calls, objects, started, polled, counts, ports, due, at, sweep };
}

const ended = (text = 'Hello'): ConversationState => ({
  state: 'ended',
  conversation: {
    conversationId: 'conv',
    turns: [{ role: 'user', message: text, timeInCallSecs: 1 }],
    durationSeconds: 9,
    interruptions: 1,
    hasAudio: false,
  },
});

describe('a pending call', () => {
  test('whose conversation has ended is processed without a webhook', async () => {
    const { due, at, sweep, started, objects } = setUp(ended());
    const call = due();
    expect(await sweep()).toEqual({ processing_started: 1 });
    expect(at(call)).toMatchObject({
      status: 'processing',
      sweeperAttempts: 0,
      dueAtMs: NOON + 15 * MINUTE_MS,
      conversation: { durationSeconds: 9, interruptions: 1, hasAudio: false },
    });
    expect([started, objects.size]).toEqual([[call.callId], 0]);
  });

  test('whose transcript is long is processed, with its transcript in the bucket', async () => {
    const { due, at, sweep, objects } = setUp(ended(randomBytes(300_000).toString('base64')));
    const call = due();
    await sweep();
    expect(at(call)?.conversation?.transcript).toEqual({ key: [...objects.keys()][0] });
  });

  test('whose conversation failed at the provider fails with the reason that `readConversation` returns', async () => {
    const { due, at, sweep, started } = setUp({ state: 'failed', reason: 'The line broke.' });
    const call = due();
    expect(await sweep()).toEqual({ failed_to_start: 1 });
    expect(at(call)).toMatchObject({ status: 'failed', failureReason: 'The line broke.', dueAtMs: undefined });
    expect(started).toEqual([]);
  });

  test.each([
    ['in progress', 5.9, 'pending', 'waiting', { state: 'in-progress' }],
    ['unknown', 5.9, 'pending', 'waiting', { state: 'unknown' }],
    ['in progress', 6, 'abandoned', 'abandoned', { state: 'in-progress' }],
    ['unknown', 6, 'abandoned', 'abandoned', { state: 'unknown' }],
    ['unreachable', 23.9, 'pending', 'waiting', DOWN],
    ['unreachable', 24, 'abandoned', 'abandoned', DOWN],
  ] as const)(
    'whose conversation is %s after %f hours is %s after the sweep',
    async (_, hours, status, outcome, provided) => {
      const { due, at, sweep, started } = setUp(provided);
      const call = due({}, hours * HOUR_MS);
      expect(await sweep()).toEqual({ [outcome]: 1 });
      const dueAtMs = status === 'pending' ? NOON + HOUR_MS : undefined;
      expect(at(call)).toMatchObject({ status, dueAtMs, failureReason: null });
      expect(started).toEqual([]);
    },
  );

  test('whose conversation has ended is processed, even if the call was created 40 hours ago', async () => {
    const { due, at, sweep } = setUp(ended());
    const call = due({}, 40 * HOUR_MS);
    await sweep();
    expect(at(call)).toMatchObject({ status: 'processing' });
  });

  test('whose webhook arrives during the request to the provider is not changed by the sweeper', async () => {
    const { due, at, sweep, calls, ports, started } = setUp();
    const call = due({}, 7 * HOUR_MS);
    const readConversation: CallSweepPorts['voice']['readConversation'] = async () => {
      await calls.moveToProcessing(call, aConversation(), NOON + 1);
      return { state: 'unknown' };
    };
    expect(await sweep({ ...ports, voice: { readConversation } })).toEqual({ conflict: 1 });
    expect([at(call)?.status, started]).toEqual(['processing', []]);
  });

  test('causes only one request to the provider if two sweepers run concurrently', async () => {
    const { due, sweep, polled } = setUp();
    due();
    await Promise.all([sweep(), sweep()]);
    expect(polled).toHaveLength(1);
  });
});

describe('a call in processing', () => {
  test('is restarted three times, then fails and keeps its transcript', async () => {
    const { due, at, sweep, started, clock, polled } = setUp();
    const conversation = aConversation();
    const call = due({ status: 'processing', conversation });
    for (const sweeperAttempts of [1, 2, 3]) {
      expect(await sweep()).toEqual({ restarted: 1 });
      expect(await sweep()).toEqual({});
      clock.ms += 15 * MINUTE_MS;
      expect(at(call)).toMatchObject({ status: 'processing', sweeperAttempts, dueAtMs: clock.ms });
    }
    expect(await sweep()).toEqual({ failed: 1 });
    expect(at(call)).toMatchObject({ status: 'failed', conversation, dueAtMs: undefined, score: null });
    expect(at(call)?.failureReason).toMatch(/^The call could not be scored.+can be read\.$/);
    expect([started.length, polled]).toEqual([3, []]);
  });

  test('uses up no attempt while the analysis cannot be invoked', async () => {
    const { due, at, sweep, clock } = setUp();
    const call = due({ status: 'processing', conversation: aConversation() });
    const fail = async () => {
      throw new Error('Lambda is unavailable.');
    };
    for (let round = 0; round < 20; round++) {
      expect(await sweep({ invokeProcessCall: fail })).toEqual({ error: 1 });
      clock.ms += 16 * MINUTE_MS;
    }
    expect(at(call)).toMatchObject({ status: 'processing', sweeperAttempts: 0 });
    expect(await sweep()).toEqual({ restarted: 1 });
  });
});

describe('a ready call without its recording', () => {
  test('is retried six times, after delays of 1, 5, 15 and 60 minutes, 6 and 24 hours; then its recording is given up', async () => {
    const { due, at, started, clock, counts, ports } = setUp();
    const call = due({ status: 'ready', conversation: aConversation(), dueAtMs: NOON + MINUTE_MS });
    const attemptsMs: number[] = [];
    for (let dueAtMs = at(call)?.dueAtMs; dueAtMs !== undefined; dueAtMs = at(call)?.dueAtMs) {
      clock.ms = dueAtMs;
      const before = started.length;
      await createHandler(ports)();
      if (started.length > before) attemptsMs.push(dueAtMs);
    }
    const delays = attemptsMs.map((ms, at) => (ms - (attemptsMs[at - 1] ?? NOON)) / MINUTE_MS);
    expect(delays).toEqual([1, 5, 15, 60, 360, 1_440]);
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: null, dueAtMs: undefined });
    expect(counts.get('Calls_recording_given_up')).toBe(1);
  });
});

describe('a run of the call sweeper', () => {
  test('does not change calls that are not due, and requests nothing for them', async () => {
    const { due, sweep, calls, polled, started } = setUp(ended());
    const waiting = due({ dueAtMs: NOON + 1 });
    due({ status: 'ready', dueAtMs: undefined });
    expect(await sweep()).toEqual({});
    expect([calls.stored.get(waiting.callId), polled, started]).toEqual([waiting, [], []]);
  });

  test('does not change a call that is not due, even if an outdated index lists it', async () => {
    const { due, sweep, calls, at } = setUp(ended());
    const [later, over] = [due({ dueAtMs: NOON + 1 }), due({ status: 'ready', dueAtMs: undefined })];
    const stale: CallRepository['findDue'] = async () => [later, over, aCall()];
    expect(await sweep({ calls: { ...calls, findDue: stale } })).toEqual({ conflict: 3 });
    expect([at(later), at(over)]).toEqual([later, over]);
  });

  test('fails if a call cannot be read, and processes a due call within three runs despite 700 calls with errors', async () => {
    const { due, at, ports, calls, counts } = setUp((id) => (id.startsWith('bad') ? DOWN : ended()));
    const bad = Array.from({ length: 500 }, (_, at) => due({ dueAtMs: NOON - 1_000, conversationId: `bad ${at}` }));
    const damaged = Array.from({ length: 200 }, () => due({ dueAtMs: NOON - 500 }));
    const good = due({ dueAtMs: NOON });
    const unreadable = new Set(damaged.map(({ callId }) => callId));
    const find: CallRepository['find'] = async (ids) => {
      if (unreadable.has(ids.callId)) throw new Error('not a call');
      return calls.find(ids);
    };
    const handler = createHandler({ ...ports, calls: { ...calls, find } });
    for (let run = 0; run < 3; run++) await handler().catch(() => undefined);
    expect(at(good)).toMatchObject({ status: 'processing' });
    expect(bad.every((call) => at(call)?.dueAtMs === NOON + HOUR_MS)).toBe(true);
    expect(damaged.every((call) => (at(call)?.dueAtMs ?? 0) > NOON)).toBe(true);
    expect(counts.get('Calls_error')).toBe(200);
    due({ dueAtMs: NOON - 1, callId: damaged[0]?.callId ?? '' });
    await expect(handler()).rejects.toThrow('Number of calls that could not be processed: 1.');
  });

  test('ends soon after its time limit when the provider is slow, and leaves the remaining calls to the next run', async () => {
    const { due, sweep, clock, calls } = setUp();
    for (let at = 0; at < 100; at++) due();
    const readConversation: CallSweepPorts['voice']['readConversation'] = async () => {
      clock.ms += 20_000;
      throw DOWN;
    };
    const { waiting = 0 } = await sweep({ voice: { readConversation } });
    expect(waiting).toBeGreaterThan(0);
    expect(clock.ms - NOON).toBeLessThan(160_000);
    expect((await calls.findDue(clock.ms, 200)).length).toBe(100 - waiting);
  });

  test('fails while the table cannot be read', async () => {
    const { ports, calls } = setUp();
    const due: CallRepository['findDue'] = async () => {
      throw new Error('throttled');
    };
    await expect(createHandler({ ...ports, calls: { ...calls, findDue: due } })()).rejects.toThrow('throttled');
  });
});
