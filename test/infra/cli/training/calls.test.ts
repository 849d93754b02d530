import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { uuidV7 } from '../../../../shared/platform/uuid-v7.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import type { CallIds } from '../../../../shared/training/call.ts';
import { anOrganization, training, trainingJson } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aConversation, anAnalysis, aScore, HOUR_MS, NOON } from '../../../support/training/calls.ts';
import { storedCall, USER } from '../../../support/training/stored-calls.ts';

useDynamo();

let orgId: string;
beforeEach(async () => {
  orgId = await anOrganization();
});

const aCallOf = async (atMs: number, said: object = {}): Promise<CallIds> =>
  storedCall({ orgId, callId: uuidV7(atMs), createdAtMs: atMs, ...said });

const ready = async (atMs = NOON): Promise<CallIds> => {
  const ids = await aCallOf(atMs);
  const calls = createDynamoCallRepository({ now: () => atMs });
  await calls.moveToProcessing(ids, aConversation(), atMs);
  const result = { analysis: anAnalysis(), score: aScore(), recordingKey: `recordings/${orgId}/${ids.callId}.mp3` };
  await calls.moveToReady(ids, { ...result, dueAtMs: undefined });
  return ids;
};
const idsIn = (list: { calls: { id: string }[] }) => list.calls.map(({ id }) => id);

test('list: prints calls, newest first, with user, time, case, status, score and failure reason', async () => {
  const scored = await ready(NOON);
  const failed = await aCallOf(NOON + HOUR_MS);
  await createDynamoCallRepository().failPending(failed, 'The call was not answered.');
  const { code, out, err } = await training('calls', 'list', orgId);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(
    new RegExp(
      `${failed.callId}  2024-06-15 13:00  An expensive offer\\n${USER} +failed: The call was not answered\\.\\n` +
        `${scored.callId}  2024-06-15 12:00  An expensive offer\\n${USER} +ready, 40 of 100, provisional\\n`,
    ),
  );
  expect(await trainingJson('calls', 'list', orgId)).toMatchObject({
    calls: [
      { id: failed.callId, total: null, failureReason: 'The call was not answered.' },
      { id: scored.callId, total: 40, isProvisional: true },
    ],
    next: null,
  });
});

test('1: list reports a damaged score without printing its content', async () => {
  const { callId } = await ready();
  const update = new UpdateCommand({
    TableName: 'training',
    Key: trainingKey.call({ orgId, callId }),
    UpdateExpression: 'SET score = :torn',
    ExpressionAttributeValues: { ':torn': 'Erika said' },
  });
  await dynamoDocumentClient().send(update);
  const result = await training('calls', 'list', orgId).catch((error: unknown) => ({
    code: 1,
    out: '',
    err: `${error}`,
  }));
  expect(result).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining(`The score of the call ${callId} is not valid JSON`),
  });
  expect(result.err).not.toContain('Erika');
});

test('list: with --after, successive pages contain each call exactly once', async () => {
  const made = [];
  for (let at = 0; at < 7; at += 1) made.push((await aCallOf(NOON + at * 1_000)).callId);
  const shown: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page = await trainingJson('calls', 'list', orgId, '--limit', '3', ...(next === '' ? [] : ['--after', next]));
    shown.push(...idsIn(page));
    next = page.next;
  }
  expect(shown).toEqual(made.toReversed());
  const said = await training('calls', 'list', orgId, '--limit', '3');
  expect(said.err).toContain(`--after ${made[4]}`);
});

test('list: --status and --user filter all calls, even if DynamoDB returns several pages', async () => {
  const scored = await ready(NOON);
  await Promise.all(Array.from({ length: 120 }, (_, at) => aCallOf(NOON + at + 1)));
  expect(idsIn(await trainingJson('calls', 'list', orgId, '--status', 'ready'))).toEqual([scored.callId]);
  const user = randomUUID();
  const { err } = await training('calls', 'list', orgId, '--user', user);
  expect(err).toBe('No calls were found.\n');
});

test('show: prints the case, score, dos, and transcript with speakers and times', async () => {
  const { callId } = await ready();
  const { code, out } = await training('calls', 'show', orgId, callId);
  expect(code).toBe(0);
  expect(out).toMatch(/case +\S+ An expensive offer\n/);
  expect(out).toContain('SCORE 40 of 100 (provisional)');
  expect(out).toContain('✗ Ask what the buyer needs');
  expect(out).toMatch(
    /TRANSCRIPT\n00:00 {2}customer {2}That is too expensive\.\n00:03 {2}trainee {3}What do you need\?\n$/,
  );
});

test('show: for a call without a recording, prints “none yet” if it may still arrive, and “none” if the call failed', async () => {
  const pending = await aCallOf(NOON);
  expect((await training('calls', 'show', orgId, pending.callId)).out).toMatch(/^recording +none yet$/m);
  await createDynamoCallRepository().failPending(pending, 'The call was not answered.');
  expect((await training('calls', 'show', orgId, pending.callId)).out).toMatch(/^recording +none$/m);
});

test('show: --json prints the call as the API returns it', async () => {
  const { callId } = await ready();
  expect(await trainingJson('calls', 'show', orgId, callId)).toMatchObject({
    id: callId,
    orgId,
    status: 'ready',
    score: aScore(),
    analysis: anAnalysis(),
    transcript: [{ role: 'agent', message: 'That is too expensive.', timeInCallSecs: 0 }, { role: 'user' }],
  });
});

test('show: the transcript cannot send control sequences to the terminal', async () => {
  const ids = await aCallOf(NOON);
  const turns = [{ role: 'user', message: '\u001b[2Jgone\u202e', timeInCallSecs: 61 }];
  await createDynamoCallRepository().moveToProcessing(
    ids,
    aConversation({ transcript: { json: JSON.stringify(turns) } }),
    NOON,
  );
  const { out } = await training('calls', 'show', orgId, ids.callId);
  expect(out).toContain('01:01  trainee   \\u001b[2Jgone\\u202e\n');
  expect((await training('calls', 'show', orgId, ids.callId, '--json')).out).not.toContain('\u001b');
});

test('recording: prints a link that is valid for ten minutes and makes browsers save the file', async () => {
  process.env.TRAINING_BUCKET = 'calls';
  const { callId } = await ready();
  const { code, out, err } = await training('calls', 'recording', orgId, callId);
  const url = new URL(out);
  expect([code, url.pathname.endsWith(`/recordings/${orgId}/${callId}.mp3`)]).toEqual([0, true]);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    'X-Amz-Expires': '600',
    'response-content-disposition': `attachment; filename="call-2024-06-15-${callId.slice(-8)}.mp3"`,
    'response-content-type': 'application/octet-stream',
  });
  expect(err).toMatch(/^call-2024-06-15-.*\.mp3, 01:00; the link expires at /);
  expect(await trainingJson('calls', 'recording', orgId, callId)).toMatchObject({
    durationSeconds: 60,
    url: expect.any(String),
  });
});

test('1: recording explains why a call has no recording', async () => {
  const { callId } = await aCallOf(NOON);
  const { code, out, err } = await training('calls', 'recording', orgId, callId);
  expect([code, out]).toEqual([1, '']);
  expect(err).toBe('The call has no recording: the voice provider has not reported its conversation yet.\n');
});

test.each(['show', 'recording'])('1: %s does not find a call of another organization', async (command) => {
  const { callId } = await ready();
  const said = await training('calls', command, randomUUID(), callId);
  expect(said).toMatchObject({
    code: 1,
    out: '',
    err: `The organization has no call ${callId}: see "training calls list".\n`,
  });
});
