import { expect, test } from 'vitest';
import { createDynamoCaseRepository } from '../../../../shared/training/aws/dynamo-case-repository.ts';
import { callDueShardOf } from '../../../../shared/training/aws/training-table.ts';
import { firstMessage, systemPrompt } from '../../../../shared/training/prompts.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { NOON } from '../../../support/training/calls.ts';
import { setUpSessions, storedCase } from '../../../support/training/sessions.ts';

const { callsOf } = useDynamo();

test('201: returns the token of the provider, the prompts for case and persona, and the id of the new call', async () => {
  const { open, voice, requestedAgents, trainingCase, persona } = await setUpSessions();
  voice.respond = async () => ({ signedUrl: 'wss://voice.example/?once', conversationId: 'conv_201' });
  const response = await open();
  expect(response.status).toBe(201);
  expect(response.body).toEqual({
    token: 'wss://voice.example/?once',
    systemPrompt: systemPrompt(trainingCase, persona),
    firstMessage: firstMessage(trainingCase, persona),
    // A UUID of version 7 begins with the time, so that calls are sorted by time.
    trainingCallId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  });
  expect(requestedAgents).toEqual([persona.agentId]);
});

test('201: stores a look-up item, and a pending call with a snapshot of the case, due for a sweep in half an hour', async () => {
  const { open, voice, stored, orgId, users, trainingCase, persona } = await setUpSessions();
  voice.respond = async () => ({ signedUrl: 't', conversationId: 'conv_pending' });
  const { trainingCallId: id } = (await open()).body as { trainingCallId: string };
  const { calls, lookups } = await stored();
  expect(calls).toEqual([
    {
      pk: `org#${orgId}`,
      sk: `call#${id}`,
      id,
      orgId,
      userId: users.member,
      status: 'pending',
      attempts: 0,
      caseId: trainingCase.id,
      personaId: persona.id,
      agentId: persona.agentId,
      conversationId: 'conv_pending',
      caseSnapshot: trainingCase,
      createdAt: '2024-06-15T12:00:00.000Z',
      updatedAt: '2024-06-15T12:00:00.000Z',
      durationSeconds: null,
      recordingKey: null,
      failureReason: null,
      interruptions: null,
      hasAudio: null,
      transcript: null,
      transcriptKey: null,
      analysis: null,
      score: null,
      dueShard: callDueShardOf(id),
      dueAt: '2024-06-15T12:30:00.000Z',
    },
  ]);
  const { agentId } = persona;
  expect(lookups).toEqual([{ pk: 'conversation#conv_pending', sk: 'conversation', orgId, callId: id, agentId }]);
});

test('201: sends three requests to AWS: one reads, one counts the session, and one writes the call', async () => {
  const { open } = await setUpSessions();
  await open();
  let status = 0;
  const calls = await callsOf(async () => {
    status = (await open()).status;
  });
  expect([status, calls]).toEqual([201, ['BatchGetItem', 'UpdateItem', 'BatchWriteItem']]);
});

test('201: the ids of calls are sorted by the time at which the calls were opened', async () => {
  const { open, clock } = await setUpSessions();
  const ids: string[] = [];
  for (let second = 0; second < 5; second++) {
    clock.ms = NOON + second * 1_000;
    ids.push(((await open()).body as { trainingCallId: string }).trainingCallId);
  }
  expect(ids).toEqual([...ids].sort());
});

test('201: finds the case for an id in upper case', async () => {
  const { open, ids, trainingCase, stored } = await setUpSessions();
  expect((await open({ ...ids, caseId: ids.caseId.toUpperCase() })).status).toBe(201);
  expect((await stored()).calls).toMatchObject([{ caseId: trainingCase.id }]);
});

test.each(['member', 'admin', 'owner'] as const)('201: accepts the role %s', async (who) => {
  const { open, as, ids, users, stored } = await setUpSessions();
  expect((await open(ids, as(who))).status).toBe(201);
  expect((await stored()).calls).toMatchObject([{ userId: users[who] }]);
});

test('201: the call keeps its snapshot of the case after the case changes', async () => {
  const { open, stored, orgId, trainingCase } = await setUpSessions();
  expect((await open()).status).toBe(201);
  await createDynamoCaseRepository().add(orgId, {
    ...trainingCase,
    name: 'Another name',
    dos: [{ id: 'x', label: 'Another' }],
  });
  expect((await stored()).calls).toMatchObject([{ caseSnapshot: trainingCase }]);
  await storedCase(orgId, { ...trainingCase, archivedAt: '2024-06-15T12:01:00.000Z' });
  expect((await stored()).calls).toMatchObject([{ caseSnapshot: trainingCase }]);
  expect((await open()).status).toBe(404);
});
