import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { createHandler } from '../../../functions/background/analyse-call/handler.ts';
import type { LlmVerdict } from '../../../shared/training/analysis/llm-verdict.ts';
import { type ProcessCallPorts, processCall } from '../../../shared/training/process-call.ts';
import { RecordingTooLargeError, VoiceProviderError } from '../../../shared/training/voice-provider-errors.ts';
import { aCall, aConversation, type MemoryCall, MINUTE_MS, memoryCalls, NOON } from '../../support/training/calls.ts';

const DUE = NOON + 15 * MINUTE_MS;
const VERDICT: LlmVerdict = {
  summary: undefined,
  dos: [{ id: 'need', covered: true, sentences: [2] }],
  successCriteria: { met: false, sentences: [] },
};

/** The analyser at noon: the provider has a recording, and a judge says what it is told to. */
function setUp(changed: Partial<ProcessCallPorts> = {}) {
  const clock = { now: () => NOON };
  const calls = memoryCalls(clock);
  const stored = new Map<string, Uint8Array>();
  const logged: string[] = [];
  const counts = new Map<string, number>();
  const judge = vi.fn<ProcessCallPorts['judge']>(async () => undefined);
  const recording = vi.fn<ProcessCallPorts['voice']['fetchRecording']>(async () => ({
    content: Readable.from([Buffer.from('sound')]),
    contentType: 'audio/mpeg',
  }));
  const ports: ProcessCallPorts = {
    ...{ calls, judge, clock, voice: { fetchRecording: recording } },
    transcripts: {
      get: async (key) => stored.get(key),
      put: async (key, compressed) => void stored.set(key, compressed),
    },
    recordings: {
      put: async (key, { content }) => void stored.set(key, Buffer.concat(await content.toArray())),
    },
    log: {
      ...{ info: () => undefined, warn: () => undefined },
      error: (message) => void logged.push(message),
      recordMetric: (metric, value = 1) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
    },
    ...changed,
  };
  const add = (said: Partial<MemoryCall> = {}) =>
    calls.add(aCall({ status: 'processing', conversation: aConversation(), dueAtMs: DUE, ...said }));
  const at = ({ callId }: MemoryCall) => calls.stored.get(callId);
  return {
    calls,
    stored,
    logged,
    counts,
    judge,
    recording,
    ports,
    add,
    at,
    finish: (c: MemoryCall) => processCall(ports, c),
  };
}

describe('a call in processing', () => {
  test('becomes ready with analysis, score and recording, and nothing is left to do', async () => {
    const { add, at, finish, stored } = setUp();
    const call = add();
    expect(await finish(call)).toBe('completed');
    const key = `recordings/${call.orgId}/${call.callId}.mp3`;
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: key, dueAtMs: undefined, failureReason: null });
    expect(at(call)?.analysis).toMatchObject({ judgedBy: 'rules', metrics: { turns: 2 } });
    expect(at(call)?.score?.total).toBeTypeOf('number');
    expect([...stored.keys()]).toEqual([key]);
  });

  test('is shown to the judge with its case and organization, and says when a model judged', async () => {
    const { add, at, finish, judge } = setUp();
    judge.mockResolvedValue(VERDICT);
    const call = add();
    await finish(call);
    expect(judge).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ orgId: call.orgId, trainingCase: call.caseSnapshot }),
    );
    expect(at(call)?.analysis?.dos).toMatchObject([{ id: 'need', covered: true }]);
  });

  test('stands on the rules alone when the judge fails, which is counted', async () => {
    const { add, at, finish, judge, counts } = setUp();
    judge.mockRejectedValue(new Error('out of order'));
    const call = add();
    await finish(call);
    expect(at(call)).toMatchObject({ status: 'ready', analysis: { judgedBy: 'rules' } });
    expect(counts.get('JudgeFailed')).toBe(1);
  });

  test.each([
    ['is not there yet', async () => undefined],
    ['can not be had', async () => Promise.reject(new VoiceProviderError('down'))],
  ])('becomes ready all the same when its recording %s, and is due for it', async (_, answer) => {
    const { add, at, finish, recording, stored } = setUp();
    recording.mockImplementation(answer);
    const call = add();
    expect(await finish(call)).toBe('completed');
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: null, dueAtMs: NOON + MINUTE_MS, attempts: 0 });
    expect(at(call)?.score).not.toBeNull();
    expect(stored.size).toBe(0);
  });

  test('becomes ready when its recording is too large, which is given up at once and counted', async () => {
    const { add, at, finish, recording, counts } = setUp();
    recording.mockRejectedValue(new RecordingTooLargeError());
    const call = add();
    expect(await finish(call)).toBe('completed');
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: null, dueAtMs: undefined });
    expect(counts.get('RecordingsTooLarge')).toBe(1);
  });

  test('leaves no compressed transcript in its record', async () => {
    const { add, at, finish, stored } = setUp();
    const compressed = gzipSync(JSON.stringify([{ role: 'user', message: 'What do you need?', timeInCallSecs: 3 }]));
    const call = add({ conversation: aConversation({ transcript: { compressed }, hasAudio: false }) });
    expect(await finish(call)).toBe('completed');
    expect(at(call)?.conversation?.transcript).toEqual({ key: [...stored.keys()][0] });
    expect([...stored.values()]).toEqual([compressed]);
  });

  test('without sound is asked for none', async () => {
    const { add, at, finish, recording } = setUp();
    const call = add({ conversation: aConversation({ hasAudio: false }) });
    await finish(call);
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: null, dueAtMs: undefined });
    expect(recording).not.toHaveBeenCalled();
  });

  test('that did not end before does without what may have kept it: first the recording, at last the judge', async () => {
    const { add, at, finish, recording, judge } = setUp();
    for (const attempts of [1, 2, 3]) {
      const call = add({ attempts });
      expect(await finish(call)).toBe('completed');
      expect(at(call)).toMatchObject({ status: 'ready', dueAtMs: NOON + MINUTE_MS });
    }
    expect([recording.mock.calls.length, judge.mock.calls.length]).toEqual([0, 2]);
  });

  test('whose transcript is lost stays as it is, for the sweeper', async () => {
    const { add, at, finish } = setUp();
    const call = add({ conversation: aConversation({ transcript: { key: 'transcripts/gone' } }) });
    await expect(finish(call)).rejects.toThrow('transcript');
    expect(at(call)).toEqual(call);
  });

  test('finished by two at once is finished once', async () => {
    const { add, at, finish } = setUp();
    const call = add();
    const both = await Promise.all([finish(call), finish(call)]);
    expect(both.toSorted()).toEqual(['completed', 'nothing']);
    const once = at(call);
    expect(await finish(call)).toBe('nothing');
    expect(at(call)).toEqual(once);
  });
});

describe('a ready call', () => {
  test('that lacks its recording gets it, and keeps its score', async () => {
    const { add, at, finish, judge } = setUp();
    const call = add({ status: 'ready', dueAtMs: NOON });
    expect(await finish(call)).toBe('recorded');
    expect(at(call)).toMatchObject({ status: 'ready', dueAtMs: undefined, analysis: null, score: null });
    expect(at(call)?.recordingKey).toMatch(/^recordings\//);
    expect(judge).not.toHaveBeenCalled();
  });

  test('whose recording is still missing stays due', async () => {
    const { add, at, finish, recording } = setUp();
    recording.mockResolvedValue(undefined);
    const call = add({ status: 'ready', dueAtMs: NOON });
    expect(await finish(call)).toBe('without_recording');
    expect(at(call)).toEqual(call);
  });

  test('whose recording turns out too large while it comes is no longer due', async () => {
    const { add, at, finish, recording, stored, counts } = setUp();
    async function* endless() {
      yield Buffer.from('sound');
      throw new RecordingTooLargeError();
    }
    recording.mockResolvedValue({ content: Readable.from(endless()), contentType: 'audio/mpeg' });
    const call = add({ status: 'ready', dueAtMs: NOON });
    expect(await finish(call)).toBe('recording_given_up');
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: null, dueAtMs: undefined });
    expect([stored.size, counts.get('RecordingsTooLarge')]).toEqual([0, 1]);
  });
});

test.each([
  ['pending', NOON],
  ['failed', undefined],
  ['abandoned', undefined],
  ['ready', undefined],
] as const)('a call that is %s (due %s) is left alone, and nobody is asked', async (status, dueAtMs) => {
  const { add, at, finish, judge, recording } = setUp();
  const call = add({ status, dueAtMs });
  expect(await finish(call)).toBe('nothing');
  expect(at(call)).toEqual(call);
  expect([judge.mock.calls, recording.mock.calls]).toEqual([[], []]);
});

describe('the function', () => {
  const run = ({ log, ...ports }: ProcessCallPorts, event: unknown, asked: string[] = []) => {
    const logOf = (requestId: string) => {
      asked.push(requestId);
      return log;
    };
    return createHandler({ ...ports, logOf })(event, { awsRequestId: 'of the run' });
  };

  test('takes the event of whoever starts it, and counts what came of it', async () => {
    const { add, at, ports, counts } = setUp();
    const call = add();
    await run(ports, { orgId: call.orgId, callId: call.callId });
    expect([at(call)?.status, counts.get('Analyses_completed')]).toEqual(['ready', 1]);
  });

  test('logs with the id of the request that started it, else with that of its run', async () => {
    const { add, ports } = setUp();
    const { orgId, callId } = add();
    const asked: string[] = [];
    await run(ports, { orgId, callId, requestId: 'of the webhook' }, asked);
    await run(ports, { orgId, callId }, asked);
    expect(asked).toEqual(['of the webhook', 'of the run']);
  });

  test('does nothing for a call that does not exist, or is another organization’s', async () => {
    const { add, at, ports, counts } = setUp();
    const [call, other] = [add(), aCall()];
    await run(ports, { orgId: other.orgId, callId: call.callId });
    await run(ports, { orgId: call.orgId, callId: other.callId });
    expect([at(call), counts.get('Analyses_nothing')]).toEqual([call, 2]);
  });

  test.each([undefined, null, {}, 'text', { orgId: 'a', callId: 'b' }, { callId: aCall().callId }])(
    'refuses the event %j and reads nothing',
    async (event) => {
      const { ports, calls } = setUp();
      const find = vi.fn(calls.find);
      await expect(run({ ...ports, calls: { ...calls, find } }, event)).rejects.toThrow();
      expect(find).not.toHaveBeenCalled();
    },
  );
});
