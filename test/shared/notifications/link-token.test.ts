import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CONFIRMATION_DAYS,
  createLinkToken,
  LINK_TOKEN,
  type LinkPurpose,
  verifyLinkToken,
} from '../../../shared/notifications/link-token.ts';

const NOW = Date.parse('2026-03-02T12:00:00.000Z');
const DAY = 86_400_000;
const link = (purpose: LinkPurpose) => ({ orgId: randomUUID(), addressId: randomUUID(), purpose });

test.each(['confirm', 'unsubscribe'] as const)(
  'a token to %s contains organization, address and purpose',
  (purpose) => {
    const one = link(purpose);
    const token = createLinkToken('secret', one, NOW);
    expect(token).toMatch(LINK_TOKEN);
    expect(verifyLinkToken('secret', token, NOW)).toEqual(one);
    expect(verifyLinkToken('another secret', token, NOW)).toBe('invalid');
  },
);

test('a confirmation token expires after seven days, and an unsubscribe token never expires', () => {
  const end = NOW + CONFIRMATION_DAYS * DAY;
  const confirm = createLinkToken('secret', link('confirm'), NOW);
  expect(verifyLinkToken('secret', confirm, end - 1)).toMatchObject({ purpose: 'confirm' });
  expect(verifyLinkToken('secret', confirm, end)).toBe('expired');
  const unsubscribe = createLinkToken('secret', link('unsubscribe'), NOW);
  expect(verifyLinkToken('secret', unsubscribe, NOW + 3_650 * DAY)).toMatchObject({ purpose: 'unsubscribe' });
});

test('a token with any changed byte is invalid', () => {
  const token = createLinkToken('secret', link('confirm'), NOW);
  fc.assert(
    fc.property(fc.nat({ max: 68 }), fc.integer({ min: 1, max: 255 }), (index, difference) => {
      const changed = Buffer.from(token, 'base64url');
      changed.writeUInt8(changed.readUInt8(index) ^ difference, index);
      expect(verifyLinkToken('secret', changed.toString('base64url'), NOW)).toBe('invalid');
    }),
  );
});
