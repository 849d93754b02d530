import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  deriveHandle,
  generateHandle,
  hashToken,
  isTokenValid,
  tokenExpiryMs,
} from '../../../shared/leads/lead-handle.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TOKEN = /^[\w-]{43}$/;
const request = { funnelId: randomUUID(), idempotencyKey: randomUUID(), rawBody: '{"data":{}}' };

test('a handle is a UUID and 32 bytes of base64url', () => {
  for (const handle of [generateHandle(systemIdGenerator), deriveHandle('secret', request)]) {
    expect(handle.id).toMatch(UUID);
    expect(handle.updateToken).toMatch(TOKEN);
  }
});

test('generated handles differ', () => {
  const handles = Array.from({ length: 100 }, () => generateHandle(systemIdGenerator));
  expect(new Set(handles.map(({ id }) => id)).size).toBe(100);
  expect(new Set(handles.map(({ updateToken }) => updateToken)).size).toBe(100);
});

test('the same funnel, key and body give the same handle; another body the same id with another token', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (rawBody, otherBody) => {
      const first = deriveHandle('secret', { ...request, rawBody });
      const second = deriveHandle('secret', { ...request, rawBody: otherBody });
      expect(second.id).toBe(first.id);
      expect(second.updateToken === first.updateToken).toBe(rawBody === otherBody);
    }),
  );
});

test('another funnel, key or secret gives another id', () => {
  const { id } = deriveHandle('secret', request);
  expect(deriveHandle('secret', { ...request, funnelId: randomUUID() }).id).not.toBe(id);
  expect(deriveHandle('secret', { ...request, idempotencyKey: randomUUID() }).id).not.toBe(id);
  expect(deriveHandle('other secret', request).id).not.toBe(id);
});

test('the hash does not contain the token', () => {
  expect(hashToken('token')).not.toContain('token');
  expect(hashToken('token')).toBe(hashToken('token'));
  expect(hashToken('token')).not.toBe(hashToken('token '));
});

test('a token expires some days after the submit, with its lead at the latest', () => {
  expect(tokenExpiryMs(1_000, 2)).toBe(1_000 + 2 * 86_400_000);
  expect(tokenExpiryMs(1_000, 2, 5_000)).toBe(5_000);
  expect(tokenExpiryMs(1_000, 2, 1_000 + 3 * 86_400_000)).toBe(1_000 + 2 * 86_400_000);
});

test.each([
  ['the stored token before its expiry', 'hash', 999, true],
  ['the stored token from its expiry on', 'hash', 1_000, false],
  ['another token', 'hush', 999, false],
  ['an empty token', '', 999, false],
])('isTokenValid, %s: %s at %d is %s', (_, tokenHash, atMs, expected) => {
  expect(isTokenValid({ tokenHash: 'hash', tokenExpiresAtMs: 1_000 }, { tokenHash, atMs })).toBe(expected);
});
