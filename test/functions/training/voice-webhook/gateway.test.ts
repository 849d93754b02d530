import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { voiceWebhookOperation } from '../../../../functions/training/voice-webhook/operation.ts';
import { GATEWAY_RESPONSES } from '../../../../infra/stacks/api/gateway-responses.ts';
import { sendRaw, useGateway } from '../../../support/local/gateway.ts';
import { aTurn, setUpWebhook, signatureOf, transcription } from '../../../support/training/voice-webhook.ts';

const MB = 1_000_000;

let world = setUpWebhook();
let calls = 0;
beforeEach(() => {
  world = setUpWebhook();
  calls = 0;
});
const handler: typeof world.handler = (event, context) => {
  calls++;
  return world.handler(event, context);
};
const origin = useGateway([{ declared: voiceWebhookOperation, handler }]);
afterEach(() => expect(world.invoked.length).toBeLessThanOrEqual(1));

const post = (body: string | Buffer, headers: Record<string, string> = signatureOf(body)) =>
  fetch(`${origin()}${voiceWebhookOperation.path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

/** Returns an event of at least this many bytes, with the same message in each turn. */
function eventOf(conversationId: string, bytes: number, message: string): string {
  const turns = Math.ceil(bytes / (Buffer.byteLength(JSON.stringify(aTurn({ message }))) + 1));
  return JSON.stringify(transcription(conversationId, { transcript: new Array(turns).fill(aTurn({ message })) }));
}

test('200: the gateway passes a body of 4.9 MB with few quotation marks unchanged; the transcript is cut at 4 MB', async () => {
  const call = world.aCall();
  const body = eventOf(call.conversationId, 4.9 * MB, 'Schöne Grüße – '.repeat(300));
  expect(Buffer.byteLength(body)).toBeGreaterThan(4.9 * MB);
  const response = await post(body);
  expect([response.status, await response.json()]).toEqual([200, { received: true }]);
  expect(world.at(call)?.status).toBe('processing');
  const { transcript } = world.at(call)?.conversation ?? {};
  const compressed = transcript && 'compressed' in transcript ? transcript.compressed : Buffer.of();
  const json = gunzipSync(compressed);
  expect(json.length).toBeGreaterThan(3_900_000);
  expect(json.length).toBeLessThanOrEqual(4_000_000);
  expect(JSON.parse(String(json))[0].message).toBe('Schöne Grüße – '.repeat(300));
});

test('413: the function rejects a body above its limit, and the gateway rejects a body that is too large for any function', async () => {
  const call = world.aCall();
  const over = eventOf(call.conversationId, voiceWebhookOperation.limits.bodyBytesMax, 'x'.repeat(5_000));
  // In the function's event, quotation marks and backslashes are escaped, so this body makes the event too large.
  const quotes = eventOf(call.conversationId, 4.9 * MB, '"'.repeat(1_000));
  for (const [body, reached] of [
    [over, 1],
    [quotes, 1],
    ['x'.repeat(10 * 1024 * 1024 + 1), 1],
  ] as const) {
    const response = await post(body);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: GATEWAY_RESPONSES.payloadTooLarge.code } });
    expect(calls).toBe(reached);
  }
  expect(world.at(call)).toEqual(call);
});

test('401: rejects a body that is not UTF-8, because decoding it as UTF-8 changes the signed bytes', async () => {
  const body = Buffer.concat([Buffer.from('{"type":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]);
  expect((await post(body)).status).toBe(401);
});

test('401: rejects a form without a signature; 415: rejects a signed form', async () => {
  const body = JSON.stringify(transcription('c'));
  const form = { 'content-type': 'multipart/form-data; boundary=x' };
  expect((await post(body, form)).status).toBe(401);
  expect((await post(body, { ...signatureOf(body), ...form })).status).toBe(415);
});

test('no function is invoked for a truncated body', async () => {
  const body = JSON.stringify(transcription(world.aCall().conversationId));
  const [name, value] = Object.entries(signatureOf(body))[0] ?? [];
  const head = `POST ${voiceWebhookOperation.path} HTTP/1.1\r\nHost: x\r\n${name}: ${value}\r\nContent-Length: ${body.length}\r\n\r\n`;
  await sendRaw(origin(), head + body.slice(0, -1));
  expect(calls).toBe(0);
});

test('405: rejects any other method, and returns the allowed methods', async () => {
  const response = await fetch(`${origin()}${voiceWebhookOperation.path}`);
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST,OPTIONS']);
});
