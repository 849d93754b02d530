import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aResult, MANY_TURNS, setUpReads, TURNS } from '../../../support/training/read-calls.ts';
import { storedCase } from '../../../support/training/sessions.ts';

const { callsOf } = useDynamo();

const OPENED_AT = '2024-06-15T12:00:00.000Z';
const CHANGED_AT = '2024-06-15T13:00:00.000Z';

test('200: returns every property of a call that was just opened, with null for values that are not known yet', async () => {
  const { read, pending, voice, orgId, users, trainingCase, persona } = await setUpReads();
  voice.respond = async () => ({ signedUrl: 't', conversationId: 'conv_read' });
  const id = await pending();
  const response = await read(id);
  expect(response.status).toBe(200);
  expect(response.body).toEqual({
    id,
    orgId,
    userId: users.member,
    caseId: trainingCase.id,
    personaId: persona.id,
    conversationId: 'conv_read',
    agentId: persona.agentId,
    status: 'pending',
    caseSnapshot: trainingCase,
    durationSeconds: null,
    recordingKey: null,
    failureReason: null,
    createdAt: OPENED_AT,
    updatedAt: OPENED_AT,
    transcript: null,
    analysis: null,
    score: null,
  });
});

test('200: a call that is being processed has its transcript', async () => {
  const { read, processing } = await setUpReads();
  expect((await read(await processing())).body).toMatchObject({
    status: 'processing',
    durationSeconds: 61,
    transcript: TURNS,
    analysis: null,
    score: null,
    createdAt: OPENED_AT,
    updatedAt: CHANGED_AT,
  });
});

test('200: a ready call has its analysis, score and recording', async () => {
  const { read, processing, calls, orgId } = await setUpReads();
  const callId = await processing();
  const { analysis, score, recordingKey } = aResult();
  await calls.moveToReady({ orgId, callId }, aResult());
  expect((await read(callId)).body).toMatchObject({
    status: 'ready',
    analysis,
    score,
    recordingKey,
    transcript: TURNS,
  });
});

test('200: a failed call has a reason, and an abandoned call has none', async () => {
  const { read, pending, calls, orgId } = await setUpReads();
  const [failed, abandoned] = [await pending(), await pending()];
  await calls.failPending({ orgId, callId: failed }, 'The microphone could not be opened.');
  await calls.abandon({ orgId, callId: abandoned });
  expect((await read(failed)).body).toMatchObject({
    status: 'failed',
    failureReason: 'The microphone could not be opened.',
    transcript: null,
  });
  expect((await read(abandoned)).body).toMatchObject({ status: 'abandoned', failureReason: null });
});

test('200: returns the whole of a long transcript, both before and after the transcript is moved to the bucket', async () => {
  const { read, processing, complete, bucket } = await setUpReads();
  const [small, large] = [await processing(MANY_TURNS.slice(0, 50)), await processing(MANY_TURNS)];
  const keys = async (id: string) => Object.keys((await read(id)).body as object);
  expect((await read(large)).body).toMatchObject({ status: 'processing', transcript: MANY_TURNS });
  expect(await keys(large)).toEqual(await keys(small));
  expect(bucket.size).toBe(0);
  await complete(large);
  expect(bucket.size).toBe(1);
  expect((await read(large)).body).toMatchObject({ status: 'ready', transcript: MANY_TURNS });
  expect(await keys(large)).toEqual(await keys(small));
});

test('200: reads the training table once, and the bucket once if the transcript is in the bucket', async () => {
  const { read, processing, complete, reads } = await setUpReads();
  const [small, large] = [await processing(), await processing(MANY_TURNS)];
  const callsOfRead = (id: string) => callsOf(async () => expect((await read(id)).status).toBe(200));
  expect(await callsOfRead(small)).toEqual(['GetItem']);
  expect(await callsOfRead(large)).toEqual(['GetItem']);
  expect(reads).toEqual([]);
  await complete(large);
  expect(await callsOfRead(large)).toEqual(['GetItem']);
  expect(reads).toHaveLength(1);
});

test.each(['admin', 'owner'] as const)('200: returns a member’s call to an %s', async (who) => {
  const { read, pending, as } = await setUpReads();
  expect((await read(await pending(), as(who))).status).toBe(200);
});

test('200: returns an admin’s own call', async () => {
  const { open, ids, read, as, users } = await setUpReads();
  const { trainingCallId: id } = (await open(ids, as('admin'))).body as { trainingCallId: string };
  expect((await read(id, as('admin'))).body).toMatchObject({ userId: users.admin });
});

test('200: returns the case as it was in the session, even after the case was changed, archived or deleted', async () => {
  const { read, pending, orgId, trainingCase } = await setUpReads();
  const id = await pending();
  const snapshot = async () => ((await read(id)).body as { caseSnapshot: unknown }).caseSnapshot;
  await storedCase(orgId, { ...trainingCase, situation: 'Another', archivedAt: CHANGED_AT });
  expect(await snapshot()).toEqual(trainingCase);
  const Key = trainingKey.trainingCase(orgId, trainingCase.id);
  await dynamoDocumentClient().send(new DeleteCommand({ TableName: 'training', Key }));
  expect(await snapshot()).toEqual(trainingCase);
});

test('200: finds the call for an id in upper case', async () => {
  const { read, pending } = await setUpReads();
  const id = await pending();
  expect((await read(id.toUpperCase())).body).toMatchObject({ id });
});

test('200: returns null for each optional attribute that is null or missing in the item of the call', async () => {
  const { read, pending, orgId } = await setUpReads();
  const callId = await pending();
  const update = new UpdateCommand({
    TableName: 'training',
    Key: trainingKey.call({ orgId, callId }),
    UpdateExpression: 'SET caseSnapshot = :null, conversationId = :null, agentId = :null REMOVE transcript, analysis',
    ExpressionAttributeValues: { ':null': null },
  });
  await dynamoDocumentClient().send(update);
  expect((await read(callId)).body).toMatchObject({
    caseSnapshot: null,
    conversationId: null,
    agentId: null,
    transcript: null,
    analysis: null,
    score: null,
  });
});
