import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import type { CallStatus } from '../../../../shared/training/call.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import {
  clock,
  LATER,
  MOVES,
  result,
  STATUSES,
  inState as stateIn,
  worlds,
} from '../../../support/training/call-repositories.ts';
import { aCall, aConversation, NOON } from '../../../support/training/calls.ts';
import { callItem, storedCall } from '../../../support/training/stored-calls.ts';

const { callsOf } = useDynamo();

describe.each(worlds)('$name', (world) => {
  const inState = (status: CallStatus) => stateIn(world, status);

  const pairs = STATUSES.flatMap((from) => Object.keys(MOVES).map((move) => ({ from, move })));

  test.each(pairs)('from $from, $move is what the states allow, and else writes nothing', async ({ from, move }) => {
    const { calls, call, found, seen } = await inState(from);
    const before = { call: await found(), seen: await seen() };
    const { from: allowed, to, apply } = MOVES[move] as (typeof MOVES)[string];
    const changed = await apply(calls, call);
    if (allowed.includes(from)) {
      expect(changed).toBe('applied');
      expect(await found()).toMatchObject({ status: to, attempts: 0 });
      expect(await seen()).toMatchObject({ updatedAt: new Date(NOON).toISOString() });
    } else {
      expect(changed).toBe('stale');
      expect({ call: await found(), seen: await seen() }).toEqual(before);
    }
  });

  test('a call that does not exist, or is another organization’s, is not changed', async () => {
    const { calls, call, found } = await inState('pending');
    const foreign = { ...call, orgId: aCall().orgId };
    for (const { apply } of Object.values(MOVES)) {
      expect(await apply(calls, aCall())).toBe('stale');
      expect(await apply(calls, foreign)).toBe('stale');
    }
    expect(await calls.reschedule(foreign, LATER)).toBe('stale');
    expect(await calls.completeRecording(foreign, 'key')).toBe('stale');
    expect(await calls.forceReschedule(foreign, LATER)).toBe('stale');
    expect(await calls.find(foreign)).toBeUndefined();
    expect(await found()).toMatchObject({ status: 'pending', attempts: 0 });
  });

  test('is found by its conversation, and by no other', async () => {
    const { calls, call } = await inState('pending');
    expect(await calls.findIdsByConversation(call.conversationId)).toEqual({ orgId: call.orgId, callId: call.callId });
    expect(await calls.findIdsByConversation('conv_other')).toBeUndefined();
  });

  test.each([{ json: '[]' }, { compressed: new Uint8Array([1, 2]) }, { key: 'transcripts/a/b/c.json.gz' }])(
    'begins with its conversation %o',
    async (transcript) => {
      const { calls, call, found } = await inState('pending');
      const conversation = { transcript, durationSeconds: 12, interruptions: 3, hasAudio: false };
      await calls.startProcessing(call, conversation, LATER);
      expect(await found()).toMatchObject({ status: 'processing', conversation, dueAtMs: LATER, attempts: 0 });
    },
  );

  test('ready has its transcript where it was, or where it has been moved to', async () => {
    for (const [transcriptKey, expected] of [
      [undefined, { compressed: new Uint8Array([1, 2]) }],
      ['transcripts/a', { key: 'transcripts/a' }],
    ] as const) {
      const { calls, call, found } = await inState('pending');
      await calls.startProcessing(call, aConversation({ transcript: { compressed: new Uint8Array([1, 2]) } }), LATER);
      await calls.complete(call, { ...result, transcriptKey });
      expect((await found()).conversation?.transcript).toEqual(expected);
    }
  });

  test('ready holds its analysis and score; failed says why', async () => {
    const ready = await (await inState('ready')).seen();
    expect(ready).toMatchObject({ analysis: result.analysis, score: result.score, failureReason: null });
    const { calls, call, seen } = await inState('processing');
    await calls.fail(call, 'A reason.');
    expect(await seen()).toMatchObject({ failureReason: 'A reason.', analysis: null, score: null });
  });

  test('a failed analysis leaves the transcript readable', async () => {
    const { calls, call, found } = await inState('processing');
    await calls.fail(call, 'A reason.');
    expect((await found()).conversation).toEqual(aConversation());
  });
});

test('each change is one conditional write, without a read', async () => {
  const calls = createDynamoCallRepository(clock);
  const call = await storedCall();
  const ways = [
    () => calls.startProcessing(call, aConversation(), LATER),
    () => calls.reschedule({ ...call, status: 'processing', dueAtMs: LATER }, LATER + 1),
    () => calls.forceReschedule(call, LATER + 2),
    () => calls.complete(call, result),
    () => calls.completeRecording(call, 'key'),
    () => calls.fail(call, 'stale by now'),
  ];
  for (const change of ways) expect(await callsOf(change)).toEqual(['UpdateItem']);
  expect(await callsOf(() => calls.findIdsByConversation(call.conversationId))).toEqual(['GetItem']);
});

test('an item that is no call’s is refused, but can be put off', async () => {
  const calls = createDynamoCallRepository(clock);
  const call = await storedCall({ dueAtMs: NOON });
  const Item = { ...(await callItem(call)), caseSnapshot: 'torn' };
  await dynamoDocumentClient().send(
    new PutCommand({ TableName: 'training', Item: { ...Item, ...trainingKey.call(call) } }),
  );
  await expect(calls.find(call)).rejects.toThrow();
  expect(await calls.forceReschedule(call, LATER)).toBe('applied');
  expect(await callItem(call)).toMatchObject({ caseSnapshot: 'torn', dueAt: new Date(LATER).toISOString() });
});
