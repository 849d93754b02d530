import { createServer } from 'node:http';
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenLocally } from '../../../../infra/local/common/listen.ts';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';
import { aConversationOf, aTurn, signatureOf, transcription } from '../../../support/training/voice-webhook.ts';

const functions = useDeployedFunctions(
  'training/open-session',
  'training/voice-webhook',
  'training/read-call',
  'background/analyse-call',
  'background/sweep-calls',
);

const MINUTE_MS = 60_000;

/** Returns a transcript of 3000 turns, one per second. */
const turnsOf = (message: () => string) =>
  Array.from({ length: 3_000 }, (_, at) => aTurn({ message: message(), time_in_call_secs: at }));
const TRANSCRIPTS = {
  'too long for its item': turnsOf(() => Array.from({ length: 12 }, () => Math.random().toString(36)).join(' ')),
  'short enough when compressed': turnsOf(() => 'That is too expensive. '.repeat(8)),
};
const said = { transcript: TRANSCRIPTS['too long for its item'] };

/** A voice provider where every conversation has ended. */
const provider = createServer((request, response) => {
  const [, id = '', audio] = /\/conversations\/([^/?]+)(\/audio)?/.exec(request.url ?? '') ?? [];
  if (audio) return void response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 3 }).end('ID3');
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(aConversationOf(id, said)));
});
let providerUrl: string;
/** URL of the environment's rehearsal agent, with which training sessions are opened. */
let rehearsalUrl: string | undefined;
beforeAll(async () => {
  providerUrl = `http://127.0.0.1:${await listenLocally(provider)}`;
});
afterAll(() => void provider.close());

/** Opens a training session. @returns the session's call */
async function openCall() {
  process.env.VOICE_BASE_URL = rehearsalUrl ??= process.env.VOICE_BASE_URL;
  const { caseId, organizations, personaIds, tokens } = functions.demo();
  const known = new Set((await functions.world().openedCalls()).map(({ callId }) => callId));
  const body = { caseId, personaId: personaIds[0] };
  const request = { path: { orgId: organizations.a.id }, headers: functions.bearer(tokens.memberA), body };
  expect(await functions.call('training/open-session', request)).toMatchObject({ status: 201 });
  const opened = (await functions.world().openedCalls()).find(({ callId }) => !known.has(callId));
  if (opened === undefined) throw new Error('No call was opened.');
  return { ...opened, orgId: organizations.a.id };
}

async function sendWebhook(conversationId: string, transcript: object[]): Promise<void> {
  const { secret } = functions.demo().webhook;
  const event_timestamp = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({ ...transcription(conversationId, { transcript }), event_timestamp });
  const headers = signatureOf(body, { atMs: Date.now(), secret });
  expect(await functions.call('training/voice-webhook', { body, headers })).toMatchObject({ status: 200 });
}

test.each(Object.entries(TRANSCRIPTS))(
  'a webhook, analyse-call and read-call process a transcript that is %s',
  async (_, turns) => {
    const { conversationId, ...ids } = await openCall();
    await sendWebhook(conversationId, turns);
    process.env.VOICE_BASE_URL = providerUrl;
    await functions.run('background/analyse-call', ids);
    expect(await createDynamoCallRepository().find(ids)).toMatchObject({
      status: 'ready',
      recordingKey: expect.any(String),
    });
    const { tokens } = functions.demo();
    const request = { path: { orgId: ids.orgId, id: ids.callId }, headers: functions.bearer(tokens.memberA) };
    expect(await functions.call('training/read-call', request)).toMatchObject({ status: 200 });
  },
);

/** Deletes the transcript of a call directly in the bucket, not through a function. */
async function deleteTranscript({ orgId, callId }: { orgId: string; callId: string }): Promise<void> {
  const Bucket = process.env.TRAINING_BUCKET;
  const { Contents = [] } = await s3Client().send(
    new ListObjectsV2Command({ Bucket, Prefix: `transcripts/${orgId}/${callId}/` }),
  );
  expect(Contents).toHaveLength(1);
  for (const { Key } of Contents) await s3Client().send(new DeleteObjectCommand({ Bucket, Key }));
}

test('if the transcript is missing, analyse-call throws an error with this reason, and read-call responds 500', async () => {
  const { conversationId, ...ids } = await openCall();
  await sendWebhook(conversationId, TRANSCRIPTS['too long for its item']);
  await deleteTranscript(ids);
  process.env.VOICE_BASE_URL = providerUrl;
  await expect(functions.run('background/analyse-call', ids)).rejects.toThrow('is missing in the training bucket');
  const { tokens } = functions.demo();
  const request = { path: { orgId: ids.orgId, id: ids.callId }, headers: functions.bearer(tokens.memberA) };
  expect(await functions.call('training/read-call', request)).toMatchObject({ status: 500 });
});

test('if a call gets no webhook for 30 minutes, sweep-calls gets its ended conversation and starts the analysis', async () => {
  const before = functions.invoked.length;
  const { conversationId: _, ...ids } = await openCall();
  process.env.VOICE_BASE_URL = providerUrl;
  functions.later(30 * MINUTE_MS);
  await functions.run('background/sweep-calls');
  expect(await createDynamoCallRepository().find(ids)).toMatchObject({ status: 'processing' });
  expect(functions.invoked.length).toBeGreaterThan(before);
});
