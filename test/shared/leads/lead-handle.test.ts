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

test('a lead handle consists of a UUID and a token of 32 bytes in base64url', () => {
  for (const handle of [generateHandle(systemIdGenerator), deriveHandle('secret', request)]) {
    expect(handle.id).toMatch(UUID);
    expect(handle.updateToken).toMatch(TOKEN);
  }
});

test('100 generated lead handles have different ids and tokens', () => {
  const handles = Array.from({ length: 100 }, () => generateHandle(systemIdGenerator));
  expect(new Set(handles.map(({ id }) => id)).size).toBe(100);
  expect(new Set(handles.map(({ updateToken }) => updateToken)).size).toBe(100);
});

test('equal funnel and idempotency key give equal lead ids, and give equal tokens only if the body is equal', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (rawBody, otherBody) => {
      const first = deriveHandle('secret', { ...request, rawBody });
      const second = deriveHandle('secret', { ...request, rawBody: otherBody });
      expect(second.id).toBe(first.id);
      expect(second.updateToken === first.updateToken).toBe(rawBody === otherBody);
    }),
  );
});

test('another funnel, idempotency key or secret gives another lead id', () => {
  const { id } = deriveHandle('secret', request);
  expect(deriveHandle('secret', { ...request, funnelId: randomUUID() }).id).not.toBe(id);
  expect(deriveHandle('secret', { ...request, idempotencyKey: randomUUID() }).id).not.toBe(id);
  expect(deriveHandle('other secret', request).id).not.toBe(id);
});

test('equal tokens have equal hashes, other tokens have other hashes, and a hash does not contain its token', () => {
  expect(hashToken('token')).not.toContain('token');
  expect(hashToken('token')).toBe(hashToken('token'));
  expect(hashToken('token')).not.toBe(hashToken('token '));
});

test('an update token expires after the given number of days, or with its lead if the lead expires earlier', () => {
  expect(tokenExpiryMs(1_000, 2)).toBe(1_000 + 2 * 86_400_000);
  expect(tokenExpiryMs(1_000, 2, 5_000)).toBe(5_000);
  expect(tokenExpiryMs(1_000, 2, 1_000 + 3 * 86_400_000)).toBe(1_000 + 2 * 86_400_000);
});

test.each([
  ['the stored token before its expiry', 'hash', 999, true],
  ['the stored token from its expiry on', 'hash', 1_000, false],
  ['another token', 'hush', 999, false],
  ['an empty token', '', 999, false],
])('isTokenValid for %s (hash %j, time %d) returns %s', (_, tokenHash, atMs, expected) => {
  expect(isTokenValid({ tokenHash: 'hash', tokenExpiresAtMs: 1_000 }, { tokenHash, atMs })).toBe(expected);
});
