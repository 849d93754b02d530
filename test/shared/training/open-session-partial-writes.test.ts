import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { runOutsideFunction } from '../../../infra/policies/enforcement/running-function.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { createDynamoCallCreator } from '../../../shared/training/aws/dynamo-call-creator.ts';
import { createDynamoCallReader } from '../../../shared/training/aws/dynamo-call-reader.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import type { NewCall } from '../../../shared/training/ports.ts';
import { readCall } from '../../../shared/training/read-call.ts';
import { sweepCalls } from '../../../shared/training/sweep-calls.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { aConversation, HOUR_MS, NOON } from '../../support/training/calls.ts';
import { setUpSessions } from '../../support/training/sessions.ts';

useDynamo();

/** Opens a session whose batch write fails after it has written only the items in `written`. */
async function openWithPartialWrite({ written }: { written: readonly ('call' | 'lookup')[] }) {
  const real = createDynamoCallCreator();
  let newCall: NewCall | undefined;
  const calls = {
    add: async (call: NewCall) => {
      await real.add(call);
      newCall = call;
      const keys = { call: trainingKey.call(call), lookup: trainingKey.conversation(call.conversationId) };
      for (const part of ['call', 'lookup'] as const) {
        if (written.includes(part)) continue;
        const remove = new DeleteCommand({ TableName: 'training', Key: keys[part] });
        await runOutsideFunction(() => dynamoDocumentClient().send(remove));
      }
      throw Object.assign(new Error('the response was lost'), { name: 'TimeoutError' });
    },
  };
  const world = await setUpSessions({ ports: { calls } });
  const response = await world.open();
  if (newCall === undefined) throw new Error('The session did not get as far as the batch.');
  return { ...world, response, newCall };
}

const PARTS = [
  { what: 'nothing', written: [] },
  { what: 'the call without its look-up item', written: ['call'] },
  { what: 'the look-up item without its call', written: ['lookup'] },
  { what: 'the call and its look-up item', written: ['call', 'lookup'] },
] as const;

test.each(PARTS)(
  '500: if a failed batch has written $what, the response has no token, and the session is not counted',
  async (each) => {
    const { response, countedSessions } = await openWithPartialWrite(each);
    expect(response.status).toBe(500);
    expect(Object.keys(response.body as object)).toEqual(['error']);
    expect(await countedSessions()).toBe(0);
  },
);

test.each([PARTS[1], PARTS[3]])(
  'if a failed batch has written $what, the sweeper changes the call to abandoned',
  async (each) => {
    const { newCall, stored } = await openWithPartialWrite(each);
    const clock = { ms: NOON, now: () => clock.ms };
    const sweep = () =>
      sweepCalls({
        calls: createDynamoCallRepository(clock),
        clock,
        log: createJsonLogger({}),
        invokeProcessCall: async () => undefined,
        transcripts: { put: async () => undefined },
        voice: { readConversation: async () => ({ state: 'unknown' }) },
      });
    for (let hour = 0; hour < 9; hour++) {
      clock.ms = NOON + hour * HOUR_MS;
      await sweep();
    }
    expect((await stored()).calls).toMatchObject([{ id: newCall.callId, status: 'abandoned' }]);
    expect((await stored()).calls[0]).not.toHaveProperty('dueAt');
  },
);

test('404: if a failed batch has written only the look-up item, readCall finds no call, and transitions return `conflict`', async () => {
  const { newCall, stored } = await openWithPartialWrite({ written: ['lookup'] });
  const calls = createDynamoCallRepository();
  expect(await calls.findIdsByConversation(newCall.conversationId)).toMatchObject({
    orgId: newCall.orgId,
    callId: newCall.callId,
  });
  expect(await calls.moveToProcessing(newCall, aConversation(), NOON + HOUR_MS)).toBe('conflict');
  expect(await calls.failPending(newCall, 'It could not start.')).toBe('conflict');
  expect((await stored()).calls).toEqual([]);
  const ports = { calls: createDynamoCallReader(), readTranscript: async () => [] };
  const reading = readCall(ports, newCall, { userId: newCall.userId, role: 'owner' });
  await expect(reading).rejects.toMatchObject({ status: 404 });
});
