import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import { CallStatus } from '../../../../shared/training/call.ts';
import type { CallRecord, CallRepository, TransitionOutcome } from '../../../../shared/training/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import {
  aCall,
  aConversation,
  anAnalysis,
  aScore,
  createMemoryCalls,
  HOUR_MS,
  type MemoryCall,
  MINUTE_MS,
  NOON,
} from '../../../support/training/calls.ts';
import { callItem, storedCall } from '../../../support/training/stored-calls.ts';

const { callsOf } = useDynamo();

const STATUSES = CallStatus.options;
const LATER = NOON + HOUR_MS;
const clock = { now: () => NOON };

/** Attributes that are not part of a `CallRecord`. */
type ReadAttributes = { failureReason: unknown; analysis: unknown; score: unknown; updatedAt: unknown; isDue: boolean };

const parsed = (json: unknown) => (typeof json === 'string' ? JSON.parse(json) : json);

/** The tests run for both implementations. They prove that calls in memory behave like calls in DynamoDB. */
const implementations = [
  {
    name: 'in memory',
    open: () => {
      const calls = createMemoryCalls(clock);
      const add = async (overrides: Partial<MemoryCall> = {}) => calls.add(aCall(overrides));
      const seen = async ({ callId }: CallRecord): Promise<ReadAttributes> => {
        const call = calls.stored.get(callId) as MemoryCall;
        const { failureReason, analysis, score, updatedAtMs, dueAtMs } = call;
        const updatedAt = new Date(updatedAtMs).toISOString();
        return { failureReason, analysis, score, updatedAt, isDue: dueAtMs !== undefined };
      };
      return { calls: calls as CallRepository, add, seen };
    },
  },
  {
    name: 'in DynamoDB',
    open: () => {
      const seen = async (call: CallRecord): Promise<ReadAttributes> => {
        const { failureReason, analysis, score, updatedAt, dueShard, dueAt } = await callItem(call);
        expect(dueShard === undefined).toBe(dueAt === undefined);
        return {
          failureReason,
          updatedAt,
          analysis: parsed(analysis),
          score: parsed(score),
          isDue: dueAt !== undefined,
        };
      };
      return { calls: createDynamoCallRepository(clock), add: storedCall, seen };
    },
  },
];

const result = { analysis: anAnalysis(), score: aScore(), recordingKey: null, dueAtMs: LATER };

const TRANSITIONS: Record<
  string,
  { from: CallStatus[]; to: CallStatus; apply(calls: CallRepository, call: CallRecord): Promise<TransitionOutcome> }
> = {
  moveToProcessing: {
    from: ['pending', 'abandoned'],
    to: 'processing',
    apply: (calls, call) => calls.moveToProcessing(call, aConversation(), LATER),
  },
  failPending: {
    from: ['pending'],
    to: 'failed',
    apply: (calls, call) => calls.failPending(call, 'It could not start.'),
  },
  moveToReady: { from: ['processing'], to: 'ready', apply: (calls, call) => calls.moveToReady(call, result) },
  failProcessing: {
    from: ['processing'],
    to: 'failed',
    apply: (calls, call) => calls.failProcessing(call, 'It could not be analysed.'),
  },
  abandon: { from: ['pending'], to: 'abandoned', apply: (calls, call) => calls.abandon(call) },
};

/** The transitions from pending to each status. */
const PATHS: Record<CallStatus, (keyof typeof TRANSITIONS)[]> = {
  pending: [],
  processing: ['moveToProcessing'],
  ready: ['moveToProcessing', 'moveToReady'],
  failed: ['failPending'],
  abandoned: ['abandon'],
};

async function createInStatus({ open }: (typeof implementations)[number], status: CallStatus) {
  const { calls, add, seen } = open();
  const call = await add({ createdAtMs: NOON - HOUR_MS });
  for (const transition of PATHS[status]) expect(await TRANSITIONS[transition]?.apply(calls, call)).toBe('applied');
  const found = async () => {
    const now = await calls.find(call);
    if (now === undefined) throw new Error('The call does not exist.');
    return now;
  };
  expect(await found()).toMatchObject({ status });
  return { calls, call, found, seen: async () => seen(await found()) };
}

describe.each(implementations)('calls $name', (implementation) => {
  const inStatus = (status: CallStatus) => createInStatus(implementation, status);

  const pairs = STATUSES.flatMap((from) => Object.keys(TRANSITIONS).map((transition) => ({ from, transition })));

  test.each(pairs)(
    '$transition from $from is applied if it is allowed, and otherwise writes nothing',
    async ({ from, transition }) => {
      const { calls, call, found, seen } = await inStatus(from);
      const before = { call: await found(), seen: await seen() };
      const { from: allowed, to, apply } = TRANSITIONS[transition] as (typeof TRANSITIONS)[string];
      const changed = await apply(calls, call);
      if (allowed.includes(from)) {
        expect(changed).toBe('applied');
        expect(await found()).toMatchObject({ status: to, sweeperAttempts: 0 });
        expect(await seen()).toMatchObject({ updatedAt: new Date(NOON).toISOString() });
      } else {
        expect(changed).toBe('conflict');
        expect({ call: await found(), seen: await seen() }).toEqual(before);
      }
    },
  );

  test('no method changes an unknown call or a call of another organization', async () => {
    const { calls, call, found } = await inStatus('pending');
    const foreign = { ...call, orgId: aCall().orgId };
    for (const { apply } of Object.values(TRANSITIONS)) {
      expect(await apply(calls, aCall())).toBe('conflict');
      expect(await apply(calls, foreign)).toBe('conflict');
    }
    expect(await calls.reschedule(foreign, LATER)).toBe('conflict');
    expect(await calls.endRecordingWork(foreign, 'key')).toBe('conflict');
    expect(await calls.forceReschedule(foreign, LATER)).toBe('conflict');
    expect(await calls.find(foreign)).toBeUndefined();
    expect(await found()).toMatchObject({ status: 'pending', sweeperAttempts: 0 });
  });

  test('findIdsByConversation returns the ids of a call for its conversation, and undefined for an unknown conversation', async () => {
    const { calls, call } = await inStatus('pending');
    expect(await calls.findIdsByConversation(call.conversationId)).toEqual({ orgId: call.orgId, callId: call.callId });
    expect(await calls.findIdsByConversation('conv_other')).toBeUndefined();
  });

  test.each([{ json: '[]' }, { compressed: new Uint8Array([1, 2]) }, { key: 'transcripts/a/b/c.json.gz' }])(
    'moveToProcessing stores a conversation with the transcript %o',
    async (transcript) => {
      const { calls, call, found } = await inStatus('pending');
      const conversation = { transcript, durationSeconds: 12, interruptions: 3, hasAudio: false };
      await calls.moveToProcessing(call, conversation, LATER);
      expect(await found()).toMatchObject({ status: 'processing', conversation, dueAtMs: LATER, sweeperAttempts: 0 });
    },
  );

  test('moveToReady keeps the transcript in the item, or replaces it with a key if a key is given', async () => {
    for (const [transcriptKey, expected] of [
      [undefined, { compressed: new Uint8Array([1, 2]) }],
      ['transcripts/a', { key: 'transcripts/a' }],
    ] as const) {
      const { calls, call, found } = await inStatus('pending');
      await calls.moveToProcessing(call, aConversation({ transcript: { compressed: new Uint8Array([1, 2]) } }), LATER);
      await calls.moveToReady(call, { ...result, transcriptKey });
      expect((await found()).conversation?.transcript).toEqual(expected);
    }
  });

  test('moveToReady stores analysis and score, and failProcessing stores the reason', async () => {
    const ready = await (await inStatus('ready')).seen();
    expect(ready).toMatchObject({ analysis: result.analysis, score: result.score, failureReason: null });
    const { calls, call, seen } = await inStatus('processing');
    await calls.failProcessing(call, 'A reason.');
    expect(await seen()).toMatchObject({ failureReason: 'A reason.', analysis: null, score: null });
  });

  test('failProcessing does not change the conversation of the call', async () => {
    const { calls, call, found } = await inStatus('processing');
    await calls.failProcessing(call, 'A reason.');
    expect((await found()).conversation).toEqual(aConversation());
  });

  test('a call is due while it has unfinished work', async () => {
    for (const status of STATUSES) {
      const { seen } = await inStatus(status);
      expect({ status, isDue: (await seen()).isDue }).toEqual({
        status,
        isDue: !['failed', 'abandoned'].includes(status),
      });
    }
    const { calls, call, seen } = await inStatus('processing');
    await calls.moveToReady(call, { ...result, recordingKey: 'recordings/a/b.mp3', dueAtMs: undefined });
    expect((await seen()).isDue).toBe(false);
  });

  test('reschedule counts an attempt, and changes nothing if another process rescheduled the call first', async () => {
    const { calls, found } = await inStatus('processing');
    const seen = await found();
    const both = await Promise.all([calls.reschedule(seen, LATER + 1), calls.reschedule(seen, LATER + 2)]);
    expect(both.toSorted()).toEqual(['applied', 'conflict']);
    const after = await found();
    expect(after).toMatchObject({ status: 'processing', sweeperAttempts: 1, conversation: seen.conversation });
    expect(await calls.reschedule(after, LATER + 3)).toBe('applied');
    expect(await found()).toMatchObject({ sweeperAttempts: 2, dueAtMs: LATER + 3 });
  });

  test('the number of attempts of the sweeper is reset to 0 when a call becomes `processing` or `ready`', async () => {
    const { calls, call, found } = await inStatus('pending');
    await calls.reschedule(await found(), LATER + 1);
    await calls.moveToProcessing(call, aConversation(), LATER);
    expect(await found()).toMatchObject({ status: 'processing', sweeperAttempts: 0 });
    await calls.reschedule(await found(), LATER + 1);
    await calls.moveToReady(call, result);
    expect(await found()).toMatchObject({ status: 'ready', sweeperAttempts: 0 });
  });

  test('reschedule returns `conflict` if a transition changed the call after the read', async () => {
    const { calls, call, found } = await inStatus('pending');
    const seen = await found();
    await calls.moveToProcessing(call, aConversation(), seen.dueAtMs ?? 0);
    expect(await calls.reschedule(seen, LATER)).toBe('conflict');
    expect(await found()).toMatchObject({ status: 'processing', sweeperAttempts: 0, dueAtMs: seen.dueAtMs });
    const done = await inStatus('failed');
    expect(await done.calls.reschedule(await done.found(), LATER)).toBe('conflict');
    expect((await done.seen()).isDue).toBe(false);
  });

  test('forceReschedule never moves a due time earlier, and does not change a call without a due time', async () => {
    const { calls, call, found } = await inStatus('processing');
    expect(await calls.forceReschedule(call, LATER)).toBe('conflict');
    expect(await calls.forceReschedule(call, LATER + 1)).toBe('applied');
    expect(await found()).toMatchObject({ dueAtMs: LATER + 1, sweeperAttempts: 0 });
    const done = await inStatus('abandoned');
    expect(await done.calls.forceReschedule(done.call, LATER)).toBe('conflict');
    expect((await done.seen()).isDue).toBe(false);
  });

  test('endRecordingWork stores a late recording, but never replaces a stored recording', async () => {
    const { calls, call, found, seen } = await inStatus('ready');
    expect(await calls.endRecordingWork(call, null)).toBe('applied');
    expect((await seen()).isDue).toBe(false);
    expect(await calls.endRecordingWork(call, null)).toBe('conflict');
    expect(await calls.endRecordingWork(call, 'recordings/a/b.mp3')).toBe('applied');
    expect(await calls.endRecordingWork(call, 'recordings/a/b.wav')).toBe('conflict');
    expect(await calls.endRecordingWork(call, null)).toBe('conflict');
    expect(await found()).toMatchObject({ status: 'ready', recordingKey: 'recordings/a/b.mp3' });
  });

  test.each(STATUSES.filter((status) => status !== 'ready'))(
    'endRecordingWork returns `conflict` for a call that is %s, and changes nothing',
    async (status) => {
      const { calls, call, found } = await inStatus(status);
      const before = await found();
      expect(await calls.endRecordingWork(call, 'recordings/a/b.mp3')).toBe('conflict');
      expect(await calls.endRecordingWork(call, null)).toBe('conflict');
      expect(await found()).toEqual(before);
    },
  );

  test('findDue returns the calls that are due, the longest overdue first, up to the limit', async () => {
    const { calls, add } = implementation.open();
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

test('each change of a call is one write without a read', async () => {
  const calls = createDynamoCallRepository(clock);
  const call = await storedCall();
  const changes = [
    () => calls.moveToProcessing(call, aConversation(), LATER),
    () => calls.reschedule({ ...call, status: 'processing', dueAtMs: LATER }, LATER + 1),
    () => calls.forceReschedule(call, LATER + 2),
    () => calls.moveToReady(call, result),
    () => calls.endRecordingWork(call, 'key'),
    () => calls.failProcessing(call, 'A reason.'),
  ];
  for (const change of changes) expect(await callsOf(change)).toEqual(['UpdateItem']);
  expect(await callsOf(() => calls.findIdsByConversation(call.conversationId))).toEqual(['GetItem']);
});

test('a call with an invalid item cannot be read, but can be rescheduled', async () => {
  const calls = createDynamoCallRepository(clock);
  const call = await storedCall({ dueAtMs: NOON });
  const Item = { ...(await callItem(call)), caseSnapshot: 'damaged' };
  await dynamoDocumentClient().send(
    new PutCommand({ TableName: 'training', Item: { ...Item, ...trainingKey.call(call) } }),
  );
  await expect(calls.find(call)).rejects.toThrow();
  expect(await calls.forceReschedule(call, LATER)).toBe('applied');
  expect(await callItem(call)).toMatchObject({ caseSnapshot: 'damaged', dueAt: new Date(LATER).toISOString() });
});
