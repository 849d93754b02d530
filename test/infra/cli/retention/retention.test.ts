import { randomUUID } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { Funnel } from '../../../../shared/funnels/funnel.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { organizationKey } from '../../../../shared/organizations/aws/keys.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { uuidV7 } from '../../../../shared/platform/uuid-v7.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { admin } from '../../../support/cli/admin.ts';
import { anOrganization } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadChange } from '../../../support/leads/lead-repository.ts';
import { aConversation, anAnalysis, aScore } from '../../../support/training/calls.ts';
import { breakConnection, KEY, useElevenLabs } from '../../../support/training/elevenlabs-server.ts';
import { storedCall } from '../../../support/training/stored-calls.ts';
import { BUCKET, useTrainingBucket } from '../../../support/training/training-bucket.ts';

useDynamo();
useTrainingBucket();
const { server } = useElevenLabs();

const DAY_MS = 86_400_000;
let orgId: string;
beforeEach(async () => {
  orgId = await anOrganization();
  process.env.UPLOADS_BUCKET = BUCKET;
  Object.assign(process.env, { VOICE_API_KEY: KEY, VOICE_BASE_URL: server().baseUrl, VOICE_SECRET_ID: 'voice' });
});

const retention = (command: string, ...args: string[]) =>
  admin(['retention', command, orgId, '--stage', 'dev', ...args]);
const json = async (command: string, ...args: string[]) =>
  JSON.parse((await retention(command, ...args, '--json')).out);
const record = async () =>
  (await dynamoDocumentClient().send(new GetCommand({ TableName: 'directory', Key: organizationKey(orgId) }))).Item;

async function aFunnel(): Promise<string> {
  const [id, versionId] = [randomUUID(), randomUUID()];
  const funnel = Funnel.parse({ id, orgId, publishedVersionId: versionId });
  await createDirectoryWriter().publishFunnel(funnel, { id: versionId, funnelId: id, fields: [] });
  return id;
}
const aLead = async (funnelId: string, days: number) => {
  const leadId = randomUUID();
  await createDynamoLeadRepository().create({ funnelId, leadId }, aLeadChange({ atMs: Date.now() - days * DAY_MS }));
  return leadId;
};
async function aReadyCall(days: number) {
  const createdAtMs = Date.now() - days * DAY_MS;
  const call = await storedCall({ orgId, callId: uuidV7(createdAtMs), createdAtMs });
  const calls = createDynamoCallRepository({ now: () => createdAtMs });
  const recordingKey = `recordings/${orgId}/${call.callId}.mp3`;
  await calls.moveToProcessing(call, aConversation(), createdAtMs);
  await calls.moveToReady(call, { analysis: anAnalysis(), score: aScore(), recordingKey, dueAtMs: undefined });
  await s3Client().send(new PutObjectCommand({ Bucket: BUCKET, Key: recordingKey, Body: 'sound' }));
  server().conversations.set(call.conversationId, {});
  return { ...call, recordingKey };
}
const isThere = (Key: string) =>
  s3Client()
    .send(new GetObjectCommand({ Bucket: BUCKET, Key }))
    .then(() => true)
    .catch(() => false);

test('show: prints that a new organization has no periods', async () => {
  const { code, out, err } = await retention('show');
  expect([code, err]).toEqual([0, '']);
  expect(out).toBe('leads       no period\ncalls       no period\nrecordings  no period\n');
  expect(await json('show')).toEqual({ retention: {} });
});

test('set and unset change only the given periods, and print all periods', async () => {
  const before = await record();
  expect((await retention('set', '--lead-days', '365', '--recording-days', '1')).out).toMatch(
    /^leads +365 days after their last submit\ncalls +no period\nrecordings +1 day after their calls were opened\n/,
  );
  expect(await json('set', '--call-days', '90')).toEqual({
    retention: { leadDays: 365, recordingDays: 1, callDays: 90 },
    due: { leads: 0, calls: 0, recordings: 0 },
  });
  expect(await json('unset', '--recording-days', '--lead-days')).toEqual({ retention: { callDays: 90 } });
  expect(await record()).toEqual({ ...before, retention: { callDays: 90 } });
});

test('set: concurrent changes of different periods are all kept', async () => {
  await Promise.all([
    retention('set', '--lead-days', '1'),
    retention('set', '--call-days', '2'),
    retention('set', '--recording-days', '3'),
  ]);
  expect(await json('show')).toEqual({ retention: { leadDays: 1, callDays: 2, recordingDays: 3 } });
});

test('set: adds the attribute `retention` to an organization that lacks it', async () => {
  const update = { TableName: 'directory', Key: organizationKey(orgId), UpdateExpression: 'REMOVE retention' };
  await dynamoDocumentClient().send(new UpdateCommand(update));
  expect(await json('set', '--lead-days', '7')).toMatchObject({ retention: { leadDays: 7 } });
});

test('set: needs a confirmation if data is due; --dry-run and show --preview print what the next run will erase', async () => {
  const funnelId = await aFunnel();
  for (const days of [1, 8, 9]) await aLead(funnelId, days);
  await aReadyCall(8);
  const args = ['--lead-days', '7', '--call-days', '7'];
  const refused = await retention('set', ...args);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain('give --yes');
  expect(await json('show')).toEqual({ retention: {} });
  const dry = await retention('set', ...args, '--dry-run');
  expect(dry.out).toContain(
    'With these periods, the next run, within a day, will erase 2 leads, 1 call, and 1 recording permanently.\n',
  );
  expect([dry.err, await json('show')]).toEqual(['Nothing was changed.\n', { retention: {} }]);
  expect((await retention('set', ...args, '--yes')).code).toBe(0);
  expect(await json('show', '--preview')).toEqual({
    retention: { leadDays: 7, callDays: 7 },
    due: { leads: 2, calls: 1, recordings: 1 },
  });
});

test('run: erases only data that is older than its period, from every store; a second run erases nothing', async () => {
  const funnelId = await aFunnel();
  for (const days of [1, 8, 9]) await aLead(funnelId, days);
  const [old, middle, young] = [await aReadyCall(31), await aReadyCall(8), await aReadyCall(1)];
  await retention('set', '--lead-days', '7', '--call-days', '30', '--recording-days', '7', '--yes');
  expect((await retention('run', '--dry-run')).out).toBe('2 leads, 1 call, and 2 recordings would be erased.\n');
  expect(await isThere(old.recordingKey)).toBe(true);
  expect((await retention('run')).err).toContain('give --yes');
  expect(await json('run', '--yes')).toEqual({ leads_erased: 2, calls_erased: 1, recordings_erased: 1 });
  const items = await Promise.all([old, middle, young].map((call) => createDynamoCallRepository().find(call)));
  expect(items.map((item) => item && (item.recordingKey !== null ? 'whole' : 'without recording'))).toEqual([
    ...[undefined, 'without recording', 'whole'],
  ]);
  expect(await Promise.all([old, middle, young].map((call) => isThere(call.recordingKey)))).toEqual([
    ...[false, false, true],
  ]);
  expect([...server().conversations.keys()]).toEqual([young.conversationId]);
  expect((await retention('run')).out).toBe('There was no data to erase.\n');
});

test('1: run reports a call that could not be erased, and the next run erases the call', async () => {
  await aReadyCall(8);
  await retention('set', '--call-days', '7', '--yes');
  server().faults.push(breakConnection);
  const { code, out, err } = await retention('run', '--yes');
  expect([code, out]).toEqual([1, 'calls failed  1\n']);
  expect(err).toMatch(/^Not everything could be erased: run the command again\. .*voice provider failed/);
  expect(await json('run', '--yes')).toEqual({ calls_erased: 1 });
});

test.each(['set', 'unset'])('2: %s without an option for a period fails and changes nothing', async (command) => {
  const { code, err } = await retention(command);
  expect([code, err]).toEqual([2, expect.stringContaining('give at least one of --lead-days')]);
  expect(await json('show')).toEqual({ retention: {} });
});

test.each([['show'], ['set', '--lead-days', '7'], ['unset', '--lead-days'], ['run', '--yes']])(
  '1: %s fails for an unknown organization',
  async (...args) => {
    orgId = randomUUID();
    const [command = '', ...rest] = args;
    expect(await retention(command, ...rest)).toMatchObject({
      code: 1,
      err: `There is no organization ${orgId}: see "organizations list".\n`,
    });
    expect(await record()).toBeUndefined();
  },
);

test.each(['0', '36501', '-1', '1.5', 'year'])('2: set rejects %s as a number of days', async (days) => {
  expect((await retention('set', `--lead-days=${days}`)).code).toBe(2);
});
