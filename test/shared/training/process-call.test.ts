import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { createHandler } from '../../../functions/background/analyse-call/handler.ts';
import type { LlmVerdict } from '../../../shared/training/analysis/llm-verdict.ts';
import { type ProcessCallPorts, processCall } from '../../../shared/training/process-call.ts';
import { RecordingTooLargeError, VoiceProviderError } from '../../../shared/training/voice-provider-errors.ts';
import {
  aCall,
  aConversation,
  createMemoryCalls,
  type MemoryCall,
  MINUTE_MS,
  NOON,
} from '../../support/training/calls.ts';

const DUE = NOON + 15 * MINUTE_MS;
const VERDICT: LlmVerdict = {
  summary: undefined,
  dos: [{ id: 'need', covered: true, sentences: [2] }],
  successCriteria: { met: false, sentences: [] },
};

/** Prepares an analysis that runs at noon. The provider has a recording. */
function setUp(replaced: Partial<ProcessCallPorts> = {}) {
  const clock = { now: () => NOON };
  const calls = createMemoryCalls(clock);
  const stored = new Map<string, Uint8Array>();
  const logged: string[] = [];
  const counts = new Map<string, number>();
  const judge = vi.fn<ProcessCallPorts['judge']>(async () => undefined);
  const fetchRecording = vi.fn<ProcessCallPorts['voice']['fetchRecording']>(async () => ({
    content: Readable.from([Buffer.from('sound')]),
    contentType: 'audio/mpeg',
  }));
  const ports: ProcessCallPorts = {
    calls,
    judge,
    clock,
    voice: { fetchRecording },
    transcripts: {
      get: async (key) => stored.get(key),
      put: async (key, compressed) => void stored.set(key, compressed),
    },
    recordings: {
      put: async (key, { content }) => void stored.set(key, Buffer.concat(await content.toArray())),
    },
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (message) => void logged.push(message),
      recordMetric: (metric, value = 1) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
    },
    ...replaced,
  };
  const add = (overrides: Partial<MemoryCall> = {}) =>
    calls.add(aCall({ status: 'processing', conversation: aConversation(), dueAtMs: DUE, ...overrides }));
  const at = ({ callId }: MemoryCall) => calls.stored.get(callId);
  return {
    calls,
    stored,
    logged,
    counts,
    judge,
    fetchRecording,
    ports,
    add,
    at,
    process: (call: MemoryCall) => processCall(ports, call),
  };
}

describe('a call in processing', () => {
  test('becomes ready with analysis, score and recording, and is not due any more', async () => {
    const { add, at, process, stored } = setUp();
    const call = add();
    expect(await process(call)).toBe('completed');
    const key = `recordings/${call.orgId}/${call.callId}.mp3`;
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: key, dueAtMs: undefined, failureReason: null });
    expect(at(call)?.analysis).toMatchObject({ judgedBy: 'rules', metrics: { turns: 2 } });
    expect(at(call)?.score?.total).toBeTypeOf('number');
    expect([...stored.keys()]).toEqual([key]);
  });

  test('is judged by the model with its case and organization', async () => {
    const { add, at, process, judge } = setUp();
    judge.mockResolvedValue(VERDICT);
    const call = add();
    await process(call);
    expect(judge).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ orgId: call.orgId, trainingCase: call.caseSnapshot }),
    );
    expect(at(call)?.analysis?.dos).toMatchObject([{ id: 'need', covered: true }]);
  });

  test('is scored by the rules when the judge fails, and the failure is counted', async () => {
    const { add, at, process, judge, counts } = setUp();
    judge.mockRejectedValue(new Error('out of order'));
    const call = add();
    await process(call);
    expect(at(call)).toMatchObject({ status: 'ready', analysis: { judgedBy: 'rules' } });
    expect(counts.get('JudgeFailed')).toBe(1);
  });

  test.each([
    ['does not exist yet', async () => undefined],
    ['cannot be fetched', async () => Promise.reject(new VoiceProviderError('down'))],
  ])('becomes ready when its recording %s, and is due for a retry', async (_, fetch) => {
    const { add, at, process, fetchRecording, stored } = setUp();
    fetchRecording.mockImplementation(fetch);
    const call = add();
    expect(await process(call)).toBe('completed');
    expect(at(call)).toMatchObject({
      status: 'ready',
      recordingKey: null,
      dueAtMs: NOON + MINUTE_MS,
      sweeperAttempts: 0,
    });
    expect(at(call)?.score).not.toBeNull();
    expect(stored.size).toBe(0);
  });

  test('becomes ready without a retry when its recording is too large, and the recording is counted', async () => {
    const { add, at, process, fetchRecording, counts } = setUp();
    fetchRecording.mockRejectedValue(new RecordingTooLargeError());
    const call = add();
    expect(await process(call)).toBe('completed');
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: null, dueAtMs: undefined });
    expect(counts.get('RecordingsTooLarge')).toBe(1);
  });

  test('has its compressed transcript moved from the item to the bucket', async () => {
    const { add, at, process, stored } = setUp();
    const compressed = gzipSync(JSON.stringify([{ role: 'user', message: 'What do you need?', timeInCallSecs: 3 }]));
    const call = add({ conversation: aConversation({ transcript: { compressed }, hasAudio: false }) });
    expect(await process(call)).toBe('completed');
    expect(at(call)?.conversation?.transcript).toEqual({ key: [...stored.keys()][0] });
    expect([...stored.values()]).toEqual([compressed]);
  });

  test('becomes ready without a request for a recording when it has no audio', async () => {
    const { add, at, process, fetchRecording } = setUp();
    const call = add({ conversation: aConversation({ hasAudio: false }) });
    await process(call);
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: null, dueAtMs: undefined });
    expect(fetchRecording).not.toHaveBeenCalled();
  });

  test('is analysed without its recording after one restart, and also without the model after three restarts', async () => {
    const { add, at, process, fetchRecording, judge } = setUp();
    for (const sweeperAttempts of [1, 2, 3]) {
      const call = add({ sweeperAttempts });
      expect(await process(call)).toBe('completed');
      expect(at(call)).toMatchObject({ status: 'ready', dueAtMs: NOON + MINUTE_MS });
    }
    expect([fetchRecording.mock.calls.length, judge.mock.calls.length]).toEqual([0, 2]);
  });

  test('stays unchanged when its transcript is missing, and the processing fails', async () => {
    const { add, at, process } = setUp();
    const call = add({ conversation: aConversation({ transcript: { key: 'transcripts/gone' } }) });
    await expect(process(call)).rejects.toThrow('transcript');
    expect(at(call)).toEqual(call);
  });

  test('is completed once when it is processed concurrently', async () => {
    const { add, at, process } = setUp();
    const call = add();
    const both = await Promise.all([process(call), process(call)]);
    expect(both.toSorted()).toEqual(['completed', 'nothing']);
    const once = at(call);
    expect(await process(call)).toBe('nothing');
    expect(at(call)).toEqual(once);
  });
});

describe('a ready call', () => {
  test('gets its missing recording, and is not judged again', async () => {
    const { add, at, process, judge } = setUp();
    const call = add({ status: 'ready', dueAtMs: NOON });
    expect(await process(call)).toBe('recorded');
    expect(at(call)).toMatchObject({ status: 'ready', dueAtMs: undefined, analysis: null, score: null });
    expect(at(call)?.recordingKey).toMatch(/^recordings\//);
    expect(judge).not.toHaveBeenCalled();
  });

  test('stays due if a run finds no recording', async () => {
    const { add, at, process, fetchRecording } = setUp();
    fetchRecording.mockResolvedValue(undefined);
    const call = add({ status: 'ready', dueAtMs: NOON });
    expect(await process(call)).toBe('without_recording');
    expect(at(call)).toEqual(call);
  });

  test('is not due any more when its recording exceeds the size limit during the download', async () => {
    const { add, at, process, fetchRecording, stored, counts } = setUp();
    async function* endless() {
      yield Buffer.from('sound');
      throw new RecordingTooLargeError();
    }
    fetchRecording.mockResolvedValue({ content: Readable.from(endless()), contentType: 'audio/mpeg' });
    const call = add({ status: 'ready', dueAtMs: NOON });
    expect(await process(call)).toBe('recording_too_large');
    expect(at(call)).toMatchObject({ status: 'ready', recordingKey: null, dueAtMs: undefined });
    expect([stored.size, counts.get('RecordingsTooLarge')]).toEqual([0, 1]);
  });
});

test.each([
  ['pending', NOON],
  ['failed', undefined],
  ['abandoned', undefined],
  ['ready', undefined],
] as const)('a call that is %s (due at: %s) is not changed, and nothing is requested', async (status, dueAtMs) => {
  const { add, at, process, judge, fetchRecording } = setUp();
  const call = add({ status, dueAtMs });
  expect(await process(call)).toBe('nothing');
  expect(at(call)).toEqual(call);
  expect([judge.mock.calls, fetchRecording.mock.calls]).toEqual([[], []]);
});

describe('the handler of analyse-call', () => {
  const run = ({ log, ...ports }: ProcessCallPorts, event: unknown, requestIds: string[] = []) => {
    const createLog = (requestId: string) => {
      requestIds.push(requestId);
      return log;
    };
    return createHandler({ ...ports, createLog })(event, { awsRequestId: 'of the run' });
  };

  test('processes the call of its event, and counts the outcome', async () => {
    const { add, at, ports, counts } = setUp();
    const call = add();
    await run(ports, { orgId: call.orgId, callId: call.callId });
    expect([at(call)?.status, counts.get('Analyses_completed')]).toEqual(['ready', 1]);
  });

  test('logs with the request id of its event, or with its own request id if the event has none', async () => {
    const { add, ports } = setUp();
    const { orgId, callId } = add();
    const requestIds: string[] = [];
    await run(ports, { orgId, callId, requestId: 'of the webhook' }, requestIds);
    await run(ports, { orgId, callId }, requestIds);
    expect(requestIds).toEqual(['of the webhook', 'of the run']);
  });

  test('does nothing for an unknown call and for a call of another organization', async () => {
    const { add, at, ports, counts } = setUp();
    const [call, other] = [add(), aCall()];
    await run(ports, { orgId: other.orgId, callId: call.callId });
    await run(ports, { orgId: call.orgId, callId: other.callId });
    expect([at(call), counts.get('Analyses_nothing')]).toEqual([call, 2]);
  });

  test.each([undefined, null, {}, 'text', { orgId: 'a', callId: 'b' }, { callId: aCall().callId }])(
    'rejects the event %j without reading a call',
    async (event) => {
      const { ports, calls } = setUp();
      const find = vi.fn(calls.find);
      await expect(run({ ...ports, calls: { ...calls, find } }, event)).rejects.toThrow();
      expect(find).not.toHaveBeenCalled();
    },
  );
});
