import { randomUUID } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { deriveUserId } from '../../../../shared/organizations/user-id.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { uuidV7 } from '../../../../shared/platform/uuid-v7.ts';
import { createDynamoCallErasureRepository } from '../../../../shared/training/aws/dynamo-call-erasure-repository.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import { anOrganization, training, trainingJson } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aConversation, anAnalysis, aScore, type MemoryCall, NOON } from '../../../support/training/calls.ts';
import { breakConnection, KEY, useElevenLabs } from '../../../support/training/elevenlabs-server.ts';
import { storedCall, USER } from '../../../support/training/stored-calls.ts';
import { BUCKET, useTrainingBucket } from '../../../support/training/training-bucket.ts';

useDynamo();
useTrainingBucket();
const { server } = useElevenLabs();

let orgId: string;
beforeEach(async () => {
  orgId = await anOrganization();
  // The settings of an operator's machine for a deployment. The provider is a local server.
  Object.assign(process.env, { VOICE_API_KEY: KEY, VOICE_BASE_URL: server().baseUrl, VOICE_SECRET_ID: 'voice' });
});

let at = 0;
async function ready(): Promise<MemoryCall & { key: string }> {
  const call = await storedCall({ orgId, callId: uuidV7(NOON + at++) });
  const calls = createDynamoCallRepository({ now: () => NOON });
  const key = `recordings/${orgId}/${call.callId}.mp3`;
  await calls.moveToProcessing(call, aConversation(), NOON);
  await calls.moveToReady(call, { analysis: anAnalysis(), score: aScore(), recordingKey: key, dueAtMs: undefined });
  await s3Client().send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: 'sound' }));
  server().conversations.set(call.conversationId, {});
  return { ...call, key };
}
const isThere = async ({ key, ...call }: MemoryCall & { key: string }) => ({
  item: (await createDynamoCallRepository().find(call)) !== undefined,
  recording: await s3Client()
    .send(new GetObjectCommand({ Bucket: BUCKET, Key: key }))
    .then(() => true)
    .catch(() => false),
  conversation: server().conversations.has(call.conversationId),
});
const WHOLE = { item: true, recording: true, conversation: true };
const GONE = { item: false, recording: false, conversation: false };

const erase = (...args: string[]) => training('calls', 'erase', orgId, '--stage', 'test', ...args);

test('calls erase: erases the given ended calls from every store, keeps other calls, and prints the counts', async () => {
  const [first, second, other] = [await ready(), await ready(), await ready()];
  const { code, out, err } = await erase(first.callId, second.callId, '--yes');
  expect({ code, out, err }).toEqual({
    code: 0,
    err: '',
    out: [
      'calls            2',
      'transcripts      0 objects; small transcripts are stored with their calls',
      'recordings       2',
      'at the provider  2 conversations\n',
    ].join('\n'),
  });
  expect([await isThere(first), await isThere(second), await isThere(other)]).toEqual([GONE, GONE, WHOLE]);
});

test('--user: erases the calls of that user, including a damaged call, and no other calls', async () => {
  const [own, others] = [await ready(), await ready()];
  const Item = {
    ...trainingKey.call({ orgId, callId: uuidV7(NOON) }),
    userId: USER,
    score: 'torn',
    status: 7,
  };
  await dynamoDocumentClient().send(new PutCommand({ TableName: 'training', Item }));
  const { Item: item } = await dynamoDocumentClient().send(
    new GetCommand({ TableName: 'training', Key: trainingKey.call(others) }),
  );
  await dynamoDocumentClient().send(new PutCommand({ TableName: 'training', Item: { ...item, userId: randomUUID() } }));
  expect(await trainingJson('calls', 'erase', orgId, '--stage', 'test', '--user', USER, '--yes')).toEqual({
    calls: 2,
    transcripts: 0,
    recordings: 1,
    conversations: 1,
    notEnded: [],
    unknown: [],
    failed: [],
  });
  expect([await isThere(own), await isThere(others)]).toEqual([GONE, WHOLE]);
});

test('--subject and --issuer: erases the calls of the user whose tokens have these claims', async () => {
  const call = await ready();
  const userId = deriveUserId('https://issuer.example', 'auth0|7');
  const { Item: item } = await dynamoDocumentClient().send(
    new GetCommand({ TableName: 'training', Key: trainingKey.call(call) }),
  );
  await dynamoDocumentClient().send(new PutCommand({ TableName: 'training', Item: { ...item, userId } }));
  const { code } = await erase('--subject', 'auth0|7', '--issuer', 'https://issuer.example', '--yes');
  expect([code, await isThere(call)]).toEqual([0, GONE]);
});

test('--dry-run: prints the counts without a confirmation and changes nothing', async () => {
  const call = await ready();
  const { code, out, err } = await erase(call.callId, '--dry-run');
  expect([code, err]).toEqual([0, 'Nothing was changed.\n']);
  expect(out).toMatch(/^calls +1\n.*\nrecordings +1\nat the provider +1 conversation\n$/s);
  expect([await isThere(call), server().calls]).toEqual([WHOLE, []]);
});

test('1: nothing is erased without --yes if stdin is not a terminal', async () => {
  const call = await ready();
  const { code, out, err } = await erase(call.callId);
  expect([code, out, await isThere(call)]).toEqual([1, '', WHOLE]);
  expect(err).toContain('give --yes');
});

test('1: if the provider cannot be reached, the call is kept, and its id is printed with an error', async () => {
  const [broken, fine] = [await ready(), await ready()];
  server().faults.push(breakConnection);
  const { code, out, err } = await erase(broken.callId, '--yes');
  expect([code, await isThere(broken), await isThere(fine)]).toEqual([1, WHOLE, WHOLE]);
  expect(out).toContain(broken.callId);
  expect(err).toMatch(/^1 call could not be erased: run the command again\. .*voice provider failed/);
});

test('0: a call that has not ended is kept and reported, and its erasure is scheduled', async () => {
  const pending = await storedCall({ orgId, callId: uuidV7(NOON) });
  const { code, out, err } = await erase(pending.callId, '--yes');
  expect([code, err]).toEqual([0, 'A call that has not ended is erased within a day of its end.\n']);
  expect(out).toContain(`not ended yet    ${pending.callId}`);
  expect(await createDynamoCallRepository().find(pending)).toMatchObject({ status: 'pending' });
  expect(await createDynamoCallErasureRepository().find(pending)).toMatchObject({ cleared: false });
});

test('1: a call of another organization is reported as unknown and not erased', async () => {
  const call = await ready();
  const own = orgId;
  orgId = await anOrganization();
  const { code, out, err } = await erase(call.callId, '--yes');
  expect([code, out, err]).toEqual([
    1,
    '',
    `The organization has no call ${call.callId}: see "training calls list".\n`,
  ]);
  orgId = own;
  expect(await isThere(call)).toEqual(WHOLE);
});

test.each([
  [[], 'give exactly one of call ids, --user and --subject'],
  [['--user', USER, randomUUID()], 'exactly one of'],
  [['--user', USER, '--issuer', 'https://id.example.com'], '--issuer needs --subject'],
])('2: the arguments %j are rejected with a message', async (args, sentence) => {
  const { code, err } = await erase(...args, '--yes');
  expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
});

test('1: --subject needs --issuer if the outputs of the deployment do not name the token issuer', async () => {
  const { code, err } = await erase('--subject', 'x', '--yes');
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(
      'The outputs of the deployment do not name the token issuer: deploy again, or give the issuer with --issuer.',
    ),
  ]);
});

test('1: nothing is erased in a deployment if VOICE_API_KEY is not set', async () => {
  const call = await ready();
  delete process.env.VOICE_API_KEY;
  const { code, err } = await erase(call.callId, '--yes');
  expect([code, err, await isThere(call)]).toEqual([1, expect.stringContaining('VOICE_API_KEY is not set'), WHOLE]);
});

test.each([[['nonsense']], [['--user', 'nonsense']], [['--subject', '']]])(
  '2: the arguments %j are a usage error',
  async (args) => {
    expect((await erase(...args)).code).toBe(2);
  },
);
