import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { headersOf, signMessage } from '../../../shared/webhooks/sign-message.ts';
import { deriveSigningSecret } from '../../../shared/webhooks/signing-secret.ts';

test('signMessage returns the signature of the example of Standard Webhooks', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampSeconds: 1_614_265_330, body: '{"test": 2432232314}' };
  expect(signMessage({ ...message, secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] })).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('the headers of a message have its id, the time of the attempt and one signature per secret', () => {
  const message = { id: 'msg_1', timestampSeconds: 1_700_000_000, body: '{}' };
  expect(headersOf({ ...message, secrets: ['whsec_YQ==', 'whsec_Yg=='] })).toEqual({
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/),
  });
});

const now = () => Math.floor(Date.now() / 1_000);

test('a library of Standard Webhooks verifies any message, both with the new and with the previous secret', () => {
  const secrets = [
    deriveSigningSecret('master', 'endpoint', 'second'),
    deriveSigningSecret('master', 'endpoint', 'first'),
  ];
  fc.assert(
    fc.property(fc.uuid(), fc.json({ stringUnit: 'grapheme' }), (uuid, body) => {
      const headers = headersOf({ id: `msg_${uuid}`, timestampSeconds: now(), body, secrets });
      for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    }),
  );
});

test('a signature is invalid for another id, time or body, and with another secret', () => {
  const secret = deriveSigningSecret('master', 'endpoint', 'first');
  const body = '{"type":"endpoint.test"}';
  const headers = headersOf({ id: 'msg_1', timestampSeconds: now(), body, secrets: [secret] });
  const verify = (changed: Record<string, string>, text = body, key = secret) =>
    new Webhook(key).verify(text, { ...headers, ...changed });
  expect(verify({})).toEqual({ type: 'endpoint.test' });
  expect(() => verify({ 'webhook-id': 'msg_2' })).toThrow('No matching signature found');
  expect(() => verify({ 'webhook-timestamp': String(now() - 60) })).toThrow('No matching signature found');
  expect(() => verify({}, '{"type":"endpoint.test" }')).toThrow('No matching signature found');
  const others = [deriveSigningSecret('master', 'endpoint', 'second'), deriveSigningSecret('master', 'other', 'first')];
  for (const other of others) expect(() => verify({}, body, other)).toThrow('No matching signature found');
});

test('signMessage rejects a secret without the prefix, with an error that does not contain the secret', () => {
  const sign = () => signMessage({ id: 'msg_1', timestampSeconds: 1, body: '', secrets: ['c2VjcmV0'] });
  expect(sign).toThrow(/^A signing secret must start with whsec_\.$/);
});

test('signMessage rejects a message without a secret, because it would be sent unsigned', () => {
  const sign = () => signMessage({ id: 'msg_1', timestampSeconds: 1, body: '', secrets: [] });
  expect(sign).toThrow('Message msg_1 must be signed with at least one secret.');
});
