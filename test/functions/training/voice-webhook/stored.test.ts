import { expect, test } from 'vitest';
import { createDynamoCallCreator } from '../../../../shared/training/aws/dynamo-call-creator.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import type { CallIds } from '../../../../shared/training/call.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { countLoggedMetrics } from '../../../support/logs/logged-metrics.ts';
import { aCall } from '../../../support/training/calls.ts';
import { callItem, storedCall } from '../../../support/training/stored-calls.ts';
import {
  aConversationId,
  aTurn,
  initiationFailure,
  setUpWebhook,
  transcription,
} from '../../../support/training/voice-webhook.ts';

const { callsOf } = useDynamo();

function setUp() {
  const invoked: CallIds[] = [];
  const calls = createDynamoCallRepository();
  const world = setUpWebhook({ ports: { calls, invokeProcessCall: async (ids) => void invoked.push(ids) } });
  return { ...world, invoked };
}

test('200: the transcription of a known conversation causes 1 read and 1 write; its redelivery, 2 reads and 1 write', async () => {
  const { post, invoked } = setUp();
  const call = await storedCall();
  const callsOfEvent = (conversationId: string) =>
    callsOf(async () => expect((await post(transcription(conversationId))).status).toBe(200));
  expect(await callsOfEvent(call.conversationId)).toEqual(['GetItem', 'UpdateItem']);
  expect(await callItem(call)).toMatchObject({ status: 'processing', durationSeconds: 60, hasAudio: true });
  expect(invoked).toHaveLength(1);
  // For a redelivered event, the function also reads whether the analysis of the call has ended.
  expect(await callsOfEvent(call.conversationId)).toEqual(['GetItem', 'UpdateItem', 'GetItem']);
  expect(await callsOfEvent(aConversationId())).toEqual(['GetItem']);
});

test('200: of twenty concurrent transcriptions and failures of one call, exactly one is stored', async () => {
  const { post, invoked } = setUp();
  const call = await storedCall();
  const events = Array.from({ length: 20 }, (_, index) => {
    const transcript = [aTurn({ message: `Version ${index}.` })];
    return index % 2 === 0
      ? transcription(call.conversationId, { transcript })
      : initiationFailure(call.conversationId);
  });
  const responses = await Promise.all(events.map((event) => post(event)));
  expect(responses.map(({ status }) => status)).toEqual(new Array(20).fill(200));
  const item = await callItem(call);
  expect(invoked.length > 0).toBe(item.status === 'processing');
  expect([item.transcript === null, item.failureReason === null]).toEqual(
    item.status === 'processing' ? [false, true] : [true, false],
  );
});

test('200: stores a conversation even if its agent is not the agent of the session, and counts the mismatch', async () => {
  const { post } = setUp();
  const call = aCall();
  const { orgId, callId, conversationId, caseSnapshot: trainingCase, createdAtMs } = call;
  const persona = {
    id: 'p',
    agentId: 'agent',
    name: 'Erika',
    language: 'en' as const,
    character: 'calm',
    mood: 'busy',
  };
  const caseAndPersona = {
    trainingCase,
    persona: { ...persona, objections: [], createdAt: '2024-06-15T12:00:00.000Z' },
  };
  const ids = { orgId, callId, conversationId, userId: 'user' };
  await createDynamoCallCreator().add({ ...ids, ...caseAndPersona, createdAtMs, dueAtMs: createdAtMs });
  expect((await post(transcription(conversationId, { agent_id: 'another' }))).status).toBe(200);
  expect(await callItem(call)).toMatchObject({ status: 'processing' });
  await post(transcription(conversationId, { agent_id: undefined }));
  await post(transcription(conversationId));
  expect(countLoggedMetrics()).toEqual({ VoiceAgentMismatches: 1, VoiceEventsStale: 2 });
});

test('200: treats a conversation id that looks like an item key as unknown', async () => {
  const { post } = setUp();
  const ids = ['#', 'conv#1', 'org#x', 'a/../b', ' ', '\u202e', '😀'.repeat(50)];
  for (const id of ids) expect((await post(transcription(id))).status).toBe(200);
  expect(countLoggedMetrics()).toEqual({ VoiceConversationsUnknown: ids.length });
});
