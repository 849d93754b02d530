import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { UnavailableError } from '../../../../shared/platform/unavailable.ts';
import { createVoiceWebhookVerifier } from '../../../../shared/training/elevenlabs/voice-webhook-verifier.ts';

const NOW = 1_739_537_297;
const SECRET = 'wsec_0123456789';
const BODY = '{"type":"post_call_transcription","data":{"message":"Grüße ✓"}}';

function setUp({ secret = SECRET, nowMs = NOW * 1_000 } = {}) {
  const read = vi.fn(async () => secret);
  const verify = createVoiceWebhookVerifier({
    secrets: { read },
    secretId: () => 'voice',
    clock: { now: () => nowMs },
  });
  return { read, verify: (signature: string | undefined, rawBody = BODY) => verify({ signature, rawBody }) };
}

const hashOf = (time: number | string, body = BODY, secret = SECRET) =>
  createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
const headerOf = (time: number | string = NOW, body = BODY, secret = SECRET) =>
  `t=${time},v0=${hashOf(time, body, secret)}`;

test('a webhook signature of the unchanged time and body is accepted', async () => {
  expect(await setUp().verify(headerOf())).toBe(true);
});

test('for any body and secret, the verifier accepts the signature that Web Crypto computes', async () => {
  const key = (secret: string) =>
    crypto.subtle.importKey('raw', Buffer.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme' }),
      fc.stringMatching(/^\S{1,80}$/),
      fc.integer({ min: NOW - 1_800, max: NOW + 1_800 }),
      async (body, secret, time) => {
        const hash = await crypto.subtle.sign('HMAC', await key(secret), Buffer.from(`${time}.${body}`));
        const { verify } = setUp({ secret });
        expect(await verify(`t=${time},v0=${Buffer.from(hash).toString('hex')}`, body)).toBe(true);
      },
    ),
  );
});

const flipped = (text: string, at: number): string => {
  const bytes = Buffer.from(text);
  const byte = Math.floor(at / 8) % bytes.length;
  bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (at % 8));
  return bytes.toString('latin1');
};

test('a signature header with any flipped bit is rejected', async () => {
  const { verify } = setUp();
  const header = headerOf();
  for (let bit = 0; bit < header.length * 8; bit++)
    expect([bit, await verify(flipped(header, bit))]).toEqual([bit, false]);
});

test('a body with any flipped bit, one byte more or one byte less is rejected', async () => {
  const ascii = '{"type":"post_call_transcription"}';
  const { verify } = setUp();
  const header = headerOf(NOW, ascii);
  expect(await verify(header, ascii)).toBe(true);
  for (let bit = 0; bit < ascii.length * 8; bit++)
    expect([bit, await verify(header, flipped(ascii, bit))]).toEqual([bit, false]);
  for (const other of ['', ` ${ascii}`, `${ascii}\n`, ascii.slice(1), ascii.slice(0, -1), `\ufeff${ascii}`])
    expect(await verify(header, other)).toBe(false);
});

test.each([
  [0, true],
  [1_800, true],
  [-1_800, true],
  [1_801, false],
  [-1_801, false],
  [86_400, false],
])('for a signature whose time differs from the clock by %i s, the verifier returns %s', async (seconds, valid) => {
  expect(await setUp().verify(headerOf(NOW + seconds))).toBe(valid);
});

test('the tolerance for the time of a signature is exactly 30 minutes in both directions', async () => {
  for (const [nowMs, valid] of [
    [(NOW + 1_800) * 1_000, true],
    [(NOW + 1_800) * 1_000 + 1, false],
    [(NOW - 1_800) * 1_000, true],
    [(NOW - 1_800) * 1_000 - 1, false],
  ] as const) {
    expect(await setUp({ nowMs }).verify(headerOf())).toBe(valid);
  }
});

const GOOD = hashOf(NOW);
const BAD = hashOf(NOW, 'other');

test.each([
  ['the hash first', `v0=${GOOD},t=${NOW}`],
  ['several hashes, of which only the last is valid', `t=${NOW},v0=${BAD},v0=${GOOD}`],
  ['several hashes, of which only the first is valid', `t=${NOW},v0=${GOOD},v0=${BAD}`],
  ['parts of unknown schemes', `t=${NOW},v1=abc,v0=${GOOD},kid=7,,x`],
])('a signature header with %s is accepted', async (_, header) => {
  expect(await setUp().verify(header)).toBe(true);
});

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['only a hash', `v0=${GOOD}`],
  ['only a time', `t=${NOW}`],
  ['the hash of another body', `t=${NOW},v0=${BAD}`],
  ['a hash of the body without the time', `t=${NOW},v0=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`],
  ['a hash that was made with an empty secret', headerOf(NOW, BODY, '')],
  ['another time than the signed time', `t=${NOW - 1},v0=${GOOD}`],
  ['two times', `t=${NOW},t=${NOW},v0=${GOOD}`],
  ['an empty time', `t=,v0=${hashOf('')}`],
  ['a time with a sign', headerOf(`+${NOW}`)],
  ['a time below zero', headerOf(`-${NOW}`)],
  ['a time with a fraction', headerOf(`${NOW}.0`)],
  ['a time in another notation', headerOf('1.739537297e9')],
  ['a time in hexadecimal', headerOf(`0x${NOW.toString(16)}`)],
  ['a time in milliseconds', headerOf(NOW * 1_000)],
  ['a time that is not a number', headerOf('NaN')],
  ['a time with a space', headerOf(` ${NOW}`)],
  ['a time of Arabic digits', headerOf('١٧٣٩٥٣٧٢٩٧')],
  ['a time of 400 digits', headerOf('9'.repeat(400))],
  ['a hash in capitals', `t=${NOW},v0=${GOOD.toUpperCase()}`],
  ['a hash cut short', `t=${NOW},v0=${GOOD.slice(0, 62)}`],
  ['a hash too long', `t=${NOW},v0=${GOOD}00`],
  ['an empty hash', `t=${NOW},v0=`],
  ['a valid hash and an invalid hash', `t=${NOW},v0=${GOOD},v0=zz`],
  ['a hash in base64', `t=${NOW},v0=${Buffer.from(GOOD, 'hex').toString('base64')}`],
  ['only a hash of another scheme', `t=${NOW},v1=${GOOD}`],
  ['spaces between the parts', `t=${NOW}, v0=${GOOD}`],
  ['a header in another format', `sha256=${GOOD}`],
  ['a header that is too long', `t=${NOW},v0=${GOOD},${'x'.repeat(1_000)}`],
])('a request with %s is rejected', async (_, header) => {
  const { verify } = setUp();
  expect(await verify(header)).toBe(false);
});

test('during a rotation, signatures with either of the two secrets are accepted', async () => {
  const { verify } = setUp({ secret: `\n wsec_old\t wsec_new \n` });
  expect(await verify(headerOf(NOW, BODY, 'wsec_old'))).toBe(true);
  expect(await verify(headerOf(NOW, BODY, 'wsec_new'))).toBe(true);
  expect(await verify(headerOf(NOW, BODY, 'wsec_older'))).toBe(false);
  expect(await verify(headerOf(NOW, BODY, 'wsec_old wsec_new'))).toBe(false);
  expect(await verify(headerOf(NOW, BODY, ''))).toBe(false);
});

test('every signature is rejected if the secret is white space', async () => {
  const { verify } = setUp({ secret: ' \n ' });
  expect(await verify(headerOf(NOW, BODY, ''))).toBe(false);
  expect(await verify(headerOf(NOW, BODY, ' \n '))).toBe(false);
});

test('if the secret cannot be read, headers of invalid form or time are rejected, and others throw UnavailableError', async () => {
  const down = { read: vi.fn(() => Promise.reject(new Error('down'))) };
  const verify = createVoiceWebhookVerifier({
    secrets: down,
    secretId: () => 'voice',
    clock: { now: () => NOW * 1_000 },
  });
  for (const signature of [undefined, 'x', `t=${NOW}`, headerOf(NOW - 1_801), headerOf(NOW + 1_801)])
    expect(await verify({ signature, rawBody: BODY })).toBe(false);
  expect(down.read).not.toHaveBeenCalled();
  const error = await verify({ signature: headerOf(), rawBody: BODY }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ name: 'UnavailableError', retryAfterSeconds: expect.any(Number) });
  expect(error).toBeInstanceOf(UnavailableError);
});

test('the verifier rejects arbitrary headers without throwing', async () => {
  const part = fc.oneof(
    fc.constantFrom('t=', 'v0=', `t=${NOW}`, `v0=${BAD}`, 'v0=0', 't=0', '=', ',', 'v0', 't'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const { verify } = setUp();
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.string({ unit: 'binary' }), async (parts, body) => {
      expect(await verify(parts.join(','), body)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
