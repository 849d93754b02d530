import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../../../shared/http/schemas.ts';
import { NOON } from '../../../support/training/calls.ts';
import { SECRET, setUpWebhook, signatureOf, transcription } from '../../../support/training/voice-webhook.ts';

const CONVERSATION = 'conv_fuzzed';

const unusualJson = fc.constantFrom(
  ...['null', '""', '"\\u0000"', '"\\ud800"', '1e400', '-1e400', '-0', '0.1e-400', '{}', '[]', 'true', '"NaN"'],
  ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}', '{"toString":1}', '{"length":9e9}', '"user"'],
  `${'['.repeat(40)}${']'.repeat(40)}`,
  `"${'x'.repeat(300)}"`,
);
const json = fc.oneof(
  unusualJson,
  fc.jsonValue().map((value) => JSON.stringify(value)),
);
const members = (names: readonly string[], value: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 8 })
    .map((pairs) => `{${pairs.map(([name, member]) => `"${name}":${member}`).join(',')}}`);

const turn = members(
  ['role', 'message', 'time_in_call_secs', 'interrupted', 'tool_calls', '__proto__'],
  fc.oneof(json, fc.constantFrom('"user"', '"agent"', '"Hello."', '3')),
);
const transcript = fc.array(fc.oneof(turn, json), { maxLength: 6 }).map((turns) => `[${turns.join(',')}]`);
const data = members(
  ['conversation_id', 'transcript', 'metadata', 'status', 'has_audio', 'agent_id', 'failure_reason', '__proto__'],
  fc.oneof(
    json,
    transcript,
    fc.constantFrom(`"${CONVERSATION}"`, '"done"', '"failed"', '{"call_duration_secs":1e308}'),
  ),
);
const type = fc.constantFrom('"post_call_transcription"', '"call_initiation_failure"', '"post_call_audio"');
const event = fc
  .tuple(fc.oneof(type, json), fc.oneof(data, json))
  .map(([eventType, eventData]) => `{"type":${eventType},"data":${eventData}}`);
const likely = fc
  .tuple(type, transcript)
  .map(
    ([eventType, turns]) => `{"type":${eventType},"data":{"conversation_id":"${CONVERSATION}","transcript":${turns}}}`,
  );
const corrupted = fc
  .tuple(fc.oneof(event, likely), fc.nat(), fc.nat(8), fc.string({ unit: 'binary', maxLength: 3 }))
  .map(([text, at, length, put]) => {
    const start = at % text.length;
    return text.slice(0, start) + put + text.slice(start + length);
  });

test('200 or 400: any text with a valid signature is handled, and only valid transcripts are stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(event, likely, corrupted, fc.string({ unit: 'binary' })), async (body) => {
      const { aCall, at, post } = setUpWebhook();
      const call = aCall({ conversationId: CONVERSATION });
      const response = await post(body);
      expect([200, 400]).toContain(response.status);
      if (response.status === 400) expect(ApiError.safeParse(response.body).success).toBe(true);
      const now = at(call);
      if (response.status === 400) expect(now).toEqual(call);
      const { json: transcriptJson = '[]' } = (now?.conversation?.transcript ?? {}) as { json?: string };
      for (const { role, message, timeInCallSecs } of JSON.parse(transcriptJson)) {
        expect(['user', 'agent']).toContain(role);
        expect(message.isWellFormed() && !message.includes('\0') && message.trim() !== '').toBe(true);
        expect(timeInCallSecs).toBeGreaterThanOrEqual(0);
      }
      expect(({} as { x?: unknown }).x).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});

test('200, 400 or 401: any signed bytes are handled, including bytes that are not UTF-8', async () => {
  const { call } = setUpWebhook();
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const body = Buffer.from(bytes);
      const response = await call({ body: body.toString('utf8'), headers: signatureOf(body) });
      expect([200, 400, 401]).toContain(response.status);
    }),
    { numRuns: 1_000 },
  );
});

test('401: rejects any signature header without the correct hash', async () => {
  const { aCall, at, call } = setUpWebhook();
  const stored = aCall();
  const body = JSON.stringify(transcription(stored.conversationId));
  const validHash = createHmac('sha256', SECRET)
    .update(`${NOON / 1_000}.${body}`)
    .digest('hex');
  const header = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.tuple(fc.nat(), fc.stringMatching(/^[0-9a-f]{64}$/)).map(([time, hash]) => `t=${time},v0=${hash}`),
    fc
      .nat({ max: validHash.length - 1 })
      .map((at) => `t=${NOON / 1_000},v0=${validHash.slice(0, at)}${validHash.slice(at + 1)}`),
  );
  await fc.assert(
    fc.asyncProperty(header, async (signature) => {
      expect((await call({ body, headers: { 'ElevenLabs-Signature': signature } })).status).toBe(401);
    }),
    { numRuns: 1_000 },
  );
  expect(at(stored)).toEqual(stored);
});
