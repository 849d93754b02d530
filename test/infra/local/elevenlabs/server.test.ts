import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileTypeFromBuffer } from 'file-type';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startRehearsalAgent } from '../../../../infra/local/elevenlabs/server.ts';
import { createElevenLabsVoiceProvider } from '../../../../shared/training/elevenlabs/voice-provider.ts';
import { freePort } from '../../../support/free-port.ts';
import { rejectionOf } from '../../../support/training/elevenlabs-server.ts';

const SECRET = 'whsec_test';
const KEY = 'rehearsal_test';
/** Maximum time to wait for webhooks, which are sent after a response. */
const PATIENCE_MS = 20_000;

let folder: string;
let apiPort: number;
let agent: Awaited<ReturnType<typeof startRehearsalAgent>>;
let api: Server | undefined;
let webhooks: { signature: string; body: string }[];
/** The statuses of the API's responses, in order. All further responses have the last status. */
let statuses: number[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-voice-'));
  apiPort = await freePort();
  [webhooks, statuses] = [[], [200]];
  await startApi();
  await startAgent();
});
afterEach(async () => {
  agent.close();
  api?.closeAllConnections();
  api?.close();
  await rm(folder, { recursive: true });
  vi.useRealTimers();
});

async function startAgent() {
  const webhookUrl = `http://127.0.0.1:${apiPort}/api/v2/webhooks/voice`;
  agent = await startRehearsalAgent('127.0.0.1', folder, { webhookUrl, webhookSecret: SECRET, apiKey: KEY });
}

async function startApi() {
  api = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    webhooks.push({ signature: String(request.headers['elevenlabs-signature']), body });
    response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200).end('{}');
  });
  api.listen(apiPort, '127.0.0.1');
  await once(api, 'listening');
}

const origin = () => `http://127.0.0.1:${agent.port}`;
const voice = (key = KEY) => createElevenLabsVoiceProvider({ baseUrl: origin, apiKey: async () => key });
const rehearse = async (
  token: string,
  changes: object = {},
  headers: object = { 'content-type': 'application/json' },
) =>
  fetch(`${origin()}/rehearsals`, {
    method: 'POST',
    headers: { ...headers },
    body: JSON.stringify({
      signed_url: token,
      script: 'good',
      language: 'en',
      case: { objective: 'Agree on a visit', dos: [{ label: 'Ask about the roof' }] },
      persona: { name: 'Alex', objections: ['It is dear'] },
      ...changes,
    }),
  });
const untilWebhooks = (times: number) => vi.waitFor(() => expect(webhooks).toHaveLength(times), PATIENCE_MS);
const events = () => webhooks.map(({ body }) => JSON.parse(body));

test('a signed URL starts a conversation; the response, a signed webhook and readConversation return the same transcript', async () => {
  const { signedUrl, conversationId } = await voice().openVoiceSession('agent_x');
  expect(signedUrl).toMatch(
    /^ws:\/\/127\.0\.0\.1:\d+\/v1\/convai\/conversation\?agent_id=agent_x&conversation_signature=/,
  );
  expect(await voice().readConversation(conversationId)).toEqual({ state: 'unknown' });
  expect(await voice().fetchRecording(conversationId)).toBeUndefined();
  const before = Math.floor(Date.now() / 1_000);
  const response = await rehearse(signedUrl, { first_message: 'Yes, who is there?' });
  expect(response.status).toBe(200);
  const said = (await response.json()) as { transcript: { role: string; message: string }[] };
  expect(said).toMatchObject({ conversation_id: conversationId, seconds: expect.any(Number) });
  expect(said.transcript[0]).toMatchObject({ role: 'agent', message: 'Yes, who is there?', time_in_call_secs: 0 });

  await untilWebhooks(1);
  const [{ signature = '', body = '' } = {}] = webhooks;
  const [, seconds] = /^t=(\d+),v0=[0-9a-f]{64}$/.exec(signature) ?? [];
  expect(Number(seconds)).toBeGreaterThanOrEqual(before);
  expect(signature).toBe(`t=${seconds},v0=${createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex')}`);
  expect(events()[0]).toMatchObject({
    type: 'post_call_transcription',
    event_timestamp: expect.any(Number),
    data: { agent_id: 'agent_x', conversation_id: conversationId, status: 'done', has_audio: true },
  });
  expect(events()[0].data.transcript).toEqual(
    said.transcript.map((turn) => expect.objectContaining({ ...turn, tool_calls: null })),
  );
  const { transcript, metadata } = events()[0].data;
  expect(await voice().readConversation(conversationId)).toMatchObject({
    state: 'ended',
    conversation: {
      conversationId,
      durationSeconds: metadata.call_duration_secs,
      interruptions: 0,
      hasAudio: true,
      turns: transcript.map(({ message }: { message: string }) => ({ message })),
    },
  });
});

test('the recording is an MP3 with the duration of the call, and its title says that the recording is silent', async () => {
  const { signedUrl, conversationId } = await voice().openVoiceSession('agent_x');
  const { seconds } = (await (await rehearse(signedUrl)).json()) as { seconds: number };
  const recording = await voice().fetchRecording(conversationId);
  const sound = recording ? await buffer(recording.content) : Buffer.alloc(0);
  expect(recording?.contentType).toBe('audio/mpeg');
  expect(await fileTypeFromBuffer(sound)).toMatchObject({ mime: 'audio/mpeg' });
  expect(sound.toString('latin1')).toContain('Silent recording of a rehearsal');
  const frames = sound.subarray(sound.indexOf(Buffer.from([0xff, 0xf3])));
  expect(frames.length % 36).toBe(0);
  expect(Math.abs((frames.length / 36) * 0.036 - seconds)).toBeLessThan(0.04);
});

test('the conversation of a poor trainee has at least two interruptions', async () => {
  const { signedUrl, conversationId } = await voice().openVoiceSession('agent_x');
  await rehearse(signedUrl, { script: 'poor' });
  const state = await voice().readConversation(conversationId);
  expect(state.state === 'ended' && state.conversation.interruptions).toBeGreaterThanOrEqual(2);
});

test('if the customer of a rehearsal is unreachable, the webhook reports a call that did not start; nothing is recorded', async () => {
  const { signedUrl, conversationId } = await voice().openVoiceSession('agent_x');
  expect((await rehearse(signedUrl, { script: 'unreachable' })).status).toBe(200);
  await untilWebhooks(1);
  expect(events()[0]).toMatchObject({
    type: 'call_initiation_failure',
    data: { agent_id: 'agent_x', conversation_id: conversationId, failure_reason: 'no-answer' },
  });
  expect(await voice().readConversation(conversationId)).toMatchObject({ state: 'failed' });
  expect(await voice().fetchRecording(conversationId)).toBeUndefined();
});

test('403: rejects an unknown signed URL, and a signed URL with which a conversation has already started', async () => {
  const { signedUrl } = await voice().openVoiceSession('agent_x');
  await rehearse(signedUrl);
  await untilWebhooks(1);
  expect((await rehearse(signedUrl)).status).toBe(403);
  expect((await rehearse('ws://127.0.0.1/?conversation_signature=cvtkn_other')).status).toBe(403);
  expect((await rehearse('no URL')).status).toBe(403);
  expect(webhooks).toHaveLength(1);
});

test('403: a signed URL that is older than 15 minutes cannot be used', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { signedUrl } = await voice().openVoiceSession('agent_x');
  vi.setSystemTime(Date.now() + 15 * 60_000 + 1);
  expect((await rehearse(signedUrl)).status).toBe(403);
});

test.each([
  [422, 'an unknown script', { script: 'perfect' }, undefined],
  [422, 'no case', { case: undefined }, undefined],
  [415, 'the content type text/plain', {}, { 'content-type': 'text/plain' }],
  [413, 'a body over 1 MB', { padding: 'x'.repeat(1_100_000) }, undefined],
])('%d: a rehearsal with %s is rejected, and its signed URL can still be used', async (status, _, changes, headers) => {
  const { signedUrl } = await voice().openVoiceSession('agent_x');
  expect((await rehearse(signedUrl, changes, headers)).status).toBe(status);
  expect((await rehearse(signedUrl)).status).toBe(200);
});

test('401: a wrong API key is rejected', async () => {
  const { signedUrl, conversationId } = await voice().openVoiceSession('agent_x');
  await rehearse(signedUrl);
  for (const asked of [voice('other').openVoiceSession('a'), voice('other').readConversation(conversationId)]) {
    expect(await rejectionOf(asked)).toMatchObject({ message: expect.stringContaining('responded with status 401') });
  }
});

test('the stand-in accepts the requests with which the adapter creates agents in German and in English', async () => {
  const persona = { name: 'Alex', character: 'Calm.', mood: 'Good.', objections: [] };
  for (const language of ['de', 'en'] as const) {
    expect(await voice().createAgent({ ...persona, language })).toMatch(/^agent_[0-9a-f]{26}$/);
  }
});

test('if a conversation is deleted before the delivery of its webhook, it stays deleted after a restart', async () => {
  statuses = [503, 200];
  const { signedUrl, conversationId } = await voice().openVoiceSession('agent_x');
  expect(await voice().deleteConversation(conversationId)).toBe('unknown');
  await rehearse(signedUrl);
  await untilWebhooks(1);
  expect(await voice().deleteConversation(conversationId)).toBe('deleted');
  expect(await voice().deleteConversation(conversationId)).toBe('unknown');
  expect(await voice().fetchRecording(conversationId)).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
  agent.close();
  await startAgent();
  expect(await voice().readConversation(conversationId)).toEqual({ state: 'unknown' });
});

test('the webhook is retried if the API is not available or responds 503', async () => {
  api?.closeAllConnections();
  api?.close();
  const { signedUrl, conversationId } = await voice().openVoiceSession('agent_x');
  await rehearse(signedUrl);
  statuses = [503, 200];
  await startApi();
  await untilWebhooks(2);
  expect(events().map(({ data }) => data.conversation_id)).toEqual([conversationId, conversationId]);
});

test('after a restart, conversations and signed URLs are kept, and undelivered webhooks are sent', async () => {
  statuses = [503];
  const { signedUrl, conversationId } = await voice().openVoiceSession('agent_x');
  const unused = await voice().openVoiceSession('agent_x');
  await rehearse(signedUrl);
  await vi.waitFor(() => expect(webhooks.length).toBeGreaterThan(0), PATIENCE_MS);
  const before = await voice().readConversation(conversationId);
  agent.close();
  await writeFile(join(folder, 'conv_cut.json.new'), '{"id":"conv_cut","turns":[');
  [webhooks, statuses] = [[], [200]];
  await startAgent();
  expect(await voice().readConversation(conversationId)).toEqual(before);
  await untilWebhooks(1);
  expect(events()[0].data.conversation_id).toBe(conversationId);
  expect((await rehearse(unused.signedUrl)).status).toBe(200);
  expect(await readdir(folder)).not.toContain('conv_cut.json.new');
});
