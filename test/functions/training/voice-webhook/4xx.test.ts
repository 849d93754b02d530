import { expect, test } from 'vitest';
import { voiceWebhookOperation } from '../../../../functions/training/voice-webhook/operation.ts';
import { countLoggedMetrics } from '../../../support/logs/logged-metrics.ts';
import {
  aConversationId,
  aConversationOf,
  setUpWebhook,
  signatureOf,
  transcription,
} from '../../../support/training/voice-webhook.ts';

const { bodyBytesMax } = voiceWebhookOperation.limits;

/** Returns an event of exactly this many bytes. */
function sized(conversationId: string, bytes: number): string {
  const body = JSON.stringify({ ...transcription(conversationId), padding: '' });
  return body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - Buffer.byteLength(body))}"`);
}

test('413: rejects a body over the limit, counted in bytes, and accepts a body of exactly the limit', async () => {
  const { aCall, post, at } = setUpWebhook();
  const call = aCall();
  expect(await post(sized(call.conversationId, bodyBytesMax + 1))).toMatchObject({
    status: 413,
    body: { error: { code: 'payload_too_large' } },
  });
  expect(at(call)).toEqual(call);
  const wide = `{"padding":"${'ä'.repeat(bodyBytesMax / 2)}"}`;
  expect((await post(wide)).status).toBe(413);
  expect((await post(sized(call.conversationId, bodyBytesMax))).status).toBe(200);
  expect(at(call)?.status).toBe('processing');
});

test('413: takes precedence over 401, so that a body that is too large is not hashed', async () => {
  const { call } = setUpWebhook({ secrets: { read: () => Promise.reject(new Error('was read')) } });
  expect((await call({ body: 'x'.repeat(bodyBytesMax + 1) })).status).toBe(413);
});

test('415: rejects a signed body of an unsupported content type without parsing it', async () => {
  const { aCall, post, at } = setUpWebhook();
  const call = aCall();
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    expect(await post(transcription(call.conversationId), { 'content-type': type })).toMatchObject({
      status: 415,
      body: { error: { code: 'unsupported_media_type' } },
    });
  expect((await post('{', { 'content-type': 'text/plain' })).status).toBe(415);
  expect(at(call)).toEqual(call);
  expect((await post(transcription(call.conversationId), { 'content-type': 'application/json' })).status).toBe(200);
});

const deep = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
const conversation = aConversationOf('conv_1');

test.each<[string, unknown, RegExp]>([
  ['no bytes', '', /^body must be valid JSON/],
  ['incomplete JSON', '{"type":', /^body must be valid JSON/],
  ['a byte order mark', `\ufeff${JSON.stringify(transcription('conv_1'))}`, /^body must be valid JSON/],
  ['a list', '[]', /^body /],
  ['null', 'null', /^body /],
  ['no type', { data: conversation }, /^body\.type is required/],
  ['a type that is not a string', { type: 7 }, /^body\.type /],
  ['an empty type', { type: '' }, /^body\.type /],
  ['a type of 201 characters', { type: 'x'.repeat(201) }, /^body\.type /],
  ['33 levels of nesting', `{"type":"x","data":${deep(32)}}`, /at most 32 levels of nesting/],
  [
    'more levels of nesting than a stack allows',
    `{"type":"x","data":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
    /levels of nesting/,
  ],
  ['a transcription without data', { type: 'post_call_transcription' }, /^body\.data /],
  ['a transcription of null', { type: 'post_call_transcription', data: null }, /^body\.data /],
  ['no conversation id', transcription('', { conversation_id: undefined }), /^body\.data\.conversation_id is required/],
  ['an empty conversation id', transcription(''), /^body\.data\.conversation_id /],
  ['a lone surrogate', transcription('\ud800'), /^body\.data\.conversation_id /],
  ['no transcript', transcription('c', { transcript: null }), /^body\.data\.transcript /],
  ['a transcript of text', transcription('c', { transcript: 'user: hi' }), /^body\.data\.transcript /],
  ['a failure without properties', { type: 'call_initiation_failure', data: {} }, /^body\.data\.conversation_id /],
])('400: rejects a signed body (%s), names what is invalid, and has no side effects', async (_, event, message) => {
  const { calls, post, invoked, objects } = setUpWebhook();
  expect(await post(event)).toMatchObject({
    status: 400,
    body: { error: { code: 'bad_request', message: expect.stringMatching(message) } },
  });
  expect([calls.stored.size, invoked, objects.size]).toEqual([0, [], 0]);
  expect(countLoggedMetrics()).toEqual({ SignedBodiesUnreadable: 1 });
});

test('400: the message does not contain the sent value', async () => {
  const { post } = setUpWebhook();
  const { status, text } = await post(transcription('c', { transcript: 'Erika Mustermann' }));
  expect(status).toBe(400);
  expect(text).not.toContain('Mustermann');
});

test('200: treats names of prototype properties as data, in events and in turns', async () => {
  const { aCall, call, at } = setUpWebhook();
  const { conversationId, ...stored } = aCall();
  const body = `{"type":"post_call_transcription","__proto__":{"type":"x"},"data":{"__proto__":{"status":"failed"},
    "constructor":{},"conversation_id":"${conversationId}","transcript":[{"__proto__":{"role":"agent"},"message":"a"},
    {"role":"user","message":"b","__proto__":{"time_in_call_secs":9}}]}}`;
  expect((await call({ body, headers: signatureOf(body) })).status).toBe(200);
  expect(at(stored)?.conversation?.transcript).toEqual({
    json: '[{"role":"user","message":"b","timeInCallSecs":0}]',
  });
});

test('200: accepts unused properties with any value', async () => {
  const { post } = setUpWebhook();
  const invalid = { agent_id: 7, metadata: [], analysis: 'none', has_audio: 'maybe', status: 1, version_id: {} };
  const event = { ...transcription(aConversationId(), invalid), event_timestamp: 'now', extra: [1] };
  expect((await post(event)).status).toBe(200);
});
