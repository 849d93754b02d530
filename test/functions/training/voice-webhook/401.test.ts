import { expect, test } from 'vitest';
import { countLoggedMetrics } from '../../../support/logs/logged-metrics.ts';
import { MINUTE_MS, NOON } from '../../../support/training/calls.ts';
import { setUpWebhook, signatureOf, transcription } from '../../../support/training/voice-webhook.ts';

const unauthorized = { status: 401, body: { error: { code: 'unauthorized' } } };

function setUp() {
  const world = setUpWebhook();
  const call = world.aCall();
  const body = JSON.stringify(transcription(call.conversationId));
  const expectUntouched = () => {
    expect(world.at(call)).toEqual(call);
    expect(world.invoked).toEqual([]);
    expect(world.objects.size).toBe(0);
  };
  return { ...world, body, expectUntouched };
}

const AFTER_TOLERANCE = { atMs: NOON + 30 * MINUTE_MS + 1_000 };

test.each<[string, (body: string) => { body: string; headers: Record<string, string> }]>([
  ['no signature', (body) => ({ body, headers: {} })],
  ['an empty signature', (body) => ({ body, headers: { 'ElevenLabs-Signature': '' } })],
  ['a forged signature', (body) => ({ body, headers: signatureOf(body, { secret: 'guessed' }) })],
  ['a signature of another body', (body) => ({ body, headers: signatureOf(`${body} `) })],
  ['an outdated signature', (body) => ({ body, headers: signatureOf(body, { atMs: NOON - 31 * MINUTE_MS }) })],
  ['a signature whose time is in the future', (body) => ({ body, headers: signatureOf(body, AFTER_TOLERANCE) })],
  ['a truncated body', (body) => ({ body: body.slice(0, -1), headers: signatureOf(body) })],
  ['an empty body', (body) => ({ body: '', headers: signatureOf(body) })],
  [
    'a body with other white space',
    (body) => ({ body: JSON.stringify(JSON.parse(body), null, 1), headers: signatureOf(body) }),
  ],
  ['an added byte order mark', (body) => ({ body: `\ufeff${body}`, headers: signatureOf(body) })],
  ['a bearer token in place of a signature', (body) => ({ body, headers: { authorization: 'Bearer wsec_test' } })],
])('401: rejects a request with %s, and changes, stores and starts nothing', async (_, toRequest) => {
  const { call, body, expectUntouched } = setUp();
  expect(await call(toRequest(body))).toMatchObject(unauthorized);
  expectUntouched();
  expect(countLoggedMetrics()).toEqual({ SignaturesRefused: 1 });
});

test('401: reveals neither the expected signature nor what is wrong with the signature of the request', async () => {
  const { call, body } = setUp();
  const forged = await call({ body, headers: signatureOf(body, { secret: 'guessed' }) });
  const stale = await call({ body, headers: signatureOf(body, { atMs: 0 }) });
  expect([forged.status, stale.status]).toEqual([401, 401]);
  expect(forged.text).toBe(stale.text);
  expect(forged.text).not.toMatch(/[0-9a-f]{32}/);
});

test('401: rejects a body that is not UTF-8, because decoding it as UTF-8 changes the signed bytes', async () => {
  const { call, body, expectUntouched } = setUp();
  const bytes = Buffer.concat([Buffer.from(body.slice(0, -2)), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('}}')]);
  expect(await call({ body: bytes.toString('utf8'), headers: signatureOf(bytes) })).toMatchObject(unauthorized);
  expectUntouched();
});

test('200: accepts the name of the signature header in lower and upper case', async () => {
  const { call, body } = setUp();
  const [signature = ''] = Object.values(signatureOf(body));
  for (const name of ['elevenlabs-signature', 'ELEVENLABS-SIGNATURE'])
    expect((await call({ body, headers: { [name]: signature } })).status).toBe(200);
});

test('401: takes precedence over 415 and 400, so that an unsigned request does not reveal which bodies are accepted', async () => {
  const { call } = setUp();
  for (const request of [{ body: '{' }, { body: 'x', headers: { 'content-type': 'text/csv' } }, {}])
    expect(await call(request)).toMatchObject(unauthorized);
});

test('401: any origin may read the response, without credentials', async () => {
  const { call, body } = setUp();
  const { status, headers } = await call({ body, headers: { origin: 'https://shop.example' } });
  expect(status).toBe(401);
  expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
});
