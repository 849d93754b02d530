import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { runOutsideFunction } from '../../../infra/policies/enforcement/running-function.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { createDynamoCallReader } from '../../../shared/training/aws/dynamo-call-reader.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import { createDynamoCallCreator } from '../../../shared/training/aws/dynamo-open-session.ts';
import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import type { NewCall } from '../../../shared/training/ports.ts';
import { readCall } from '../../../shared/training/read-call.ts';
import { sweepCalls } from '../../../shared/training/sweep-calls.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { aConversation, HOUR_MS, NOON } from '../../support/training/calls.ts';
import { setUpSessions } from '../../support/training/sessions.ts';

useDynamo();

/** What a session that was opened leaves when its function is cut off at the batch, of which each part may be written. */
async function cutOff({ leaves }: { leaves: readonly ('call' | 'lookUp')[] }) {
  const real = createDynamoCallCreator();
  let left: NewCall | undefined;
  const calls = {
    add: async (call: NewCall) => {
      await real.add(call);
      left = call;
      const keys = { call: trainingKey.call(call), lookUp: trainingKey.conversation(call.conversationId) };
      for (const part of ['call', 'lookUp'] as const) {
        if (leaves.includes(part)) continue;
        const takeAway = new DeleteCommand({ TableName: 'training', Key: keys[part] });
        await runOutsideFunction(() => dynamoDocumentClient().send(takeAway));
      }
      throw Object.assign(new Error('the answer was lost'), { name: 'TimeoutError' });
    },
  };
  const world = await setUpSessions({ ports: { calls } });
  const answer = await world.open();
  if (left === undefined) throw new Error('The session did not get as far as the batch.');
  return { ...world, answer, left };
}

const EACH = [[], ['call'], ['lookUp'], ['call', 'lookUp']] as const;

test.each(EACH.map((leaves) => ({ leaves })))(
  'cut off with $leaves written: no token, and not counted',
  async (each) => {
    const { answer, taken } = await cutOff(each);
    expect(answer.status).toBe(500);
    expect(Object.keys(answer.body as object)).toEqual(['error']);
    expect(await taken()).toBe(0);
  },
);

test.each([{ leaves: ['call'] as const }, { leaves: ['call', 'lookUp'] as const }])(
  'a call that was left with $leaves ends abandoned',
  async (each) => {
    const { left, stored } = await cutOff(each);
    const clock = { ms: NOON, now: () => clock.ms };
    const sweep = () =>
      sweepCalls({
        ...{
          calls: createDynamoCallRepository(clock),
          clock,
          log: createJsonLogger({}),
          invokeProcessCall: async () => undefined,
        },
        transcripts: { put: async () => undefined },
        voice: { readConversation: async () => ({ state: 'unknown' }) },
      });
    for (let hour = 0; hour < 9; hour++) {
      clock.ms = NOON + hour * HOUR_MS;
      await sweep();
    }
    expect((await stored()).calls).toMatchObject([{ id: left.callId, status: 'abandoned' }]);
    expect((await stored()).calls[0]).not.toHaveProperty('dueAt');
  },
);

test('a look-up that was left without its call leads nowhere: an event changes nothing, and there is nothing to read', async () => {
  const { left, stored } = await cutOff({ leaves: ['lookUp'] });
  const calls = createDynamoCallRepository();
  expect(await calls.findIdsByConversation(left.conversationId)).toMatchObject({
    orgId: left.orgId,
    callId: left.callId,
  });
  expect(await calls.startProcessing(left, aConversation(), NOON + HOUR_MS)).toBe('stale');
  expect(await calls.failToStart(left, 'It could not start.')).toBe('stale');
  expect((await stored()).calls).toEqual([]);
  const ports = { calls: createDynamoCallReader(), readTranscript: async () => [] };
  const reading = readCall(ports, left, { userId: left.userId, role: 'owner' });
  await expect(reading).rejects.toMatchObject({ status: 404 });
});
