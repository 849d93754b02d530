import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deriveHandle, generateHandle, hashToken } from '../../../shared/leads/lead-handle.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TOKEN = /^[\w-]{43}$/;
const asked = { funnelId: randomUUID(), idempotencyKey: randomUUID(), rawBody: '{"data":{}}' };

test('every handle is a UUID and 32 bytes of base64url', () => {
  for (const handle of [generateHandle(systemIdGenerator), deriveHandle('secret', asked)]) {
    expect(handle.id).toMatch(UUID);
    expect(handle.updateToken).toMatch(TOKEN);
  }
});

test('new handles differ', () => {
  const handles = Array.from({ length: 100 }, () => generateHandle(systemIdGenerator));
  expect(new Set(handles.map(({ id }) => id)).size).toBe(100);
  expect(new Set(handles.map(({ updateToken }) => updateToken)).size).toBe(100);
});

test('the same funnel, key and body give the same handle; another body the same id with another token', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (rawBody, otherBody) => {
      const first = deriveHandle('secret', { ...asked, rawBody });
      const second = deriveHandle('secret', { ...asked, rawBody: otherBody });
      expect(second.id).toBe(first.id);
      expect(second.updateToken === first.updateToken).toBe(rawBody === otherBody);
    }),
  );
});

test('another funnel, key or secret gives another lead', () => {
  const { id } = deriveHandle('secret', asked);
  expect(deriveHandle('secret', { ...asked, funnelId: randomUUID() }).id).not.toBe(id);
  expect(deriveHandle('secret', { ...asked, idempotencyKey: randomUUID() }).id).not.toBe(id);
  expect(deriveHandle('other secret', asked).id).not.toBe(id);
});

test('a stored token does not show the token', () => {
  expect(hashToken('token')).not.toContain('token');
  expect(hashToken('token')).toBe(hashToken('token'));
  expect(hashToken('token')).not.toBe(hashToken('token '));
});
