import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashFieldValue } from '../../../shared/leads/field-value-hash.ts';
import { isEqualConstantTime } from '../../../shared/platform/constant-time.ts';
import { generateCode, hashCode, hashDestination, normalizeCodeInput } from '../../../shared/verification/code.ts';
import { normalizeRecipient } from '../../../shared/verification/contact-fields.ts';

test('codes have six digits, and the first digits from 0 to 9 are about equally frequent', () => {
  const codes = Array.from({ length: 20_000 }, generateCode);
  expect(codes.every((code) => /^\d{6}$/.test(code))).toBe(true);
  const first = Map.groupBy(codes, (code) => code[0]);
  // The expected number of each first digit is 2,000, with a standard deviation of 42.
  for (const digit of '0123456789') {
    expect(Math.abs((first.get(digit)?.length ?? 0) - 2_000)).toBeLessThan(250);
  }
});

test.each([
  ['of six digits', '123456', '123456'],
  ['with white space', ' 123 456\n', '123456'],
  ['with a dash', '123-456', '123456'],
  ['of full-width digits', '１２３４５６', '123456'],
  ['of 1,000,000 letters, of which 64 are kept,', 'x'.repeat(1_000_000), 'x'.repeat(64)],
])('an input %s is normalized', (_, typed, digits) => {
  expect(normalizeCodeInput(typed)).toBe(digits);
});

test('the hash of a code depends on lead, field, value, digits and secret', () => {
  const bound = { funnelId: randomUUID(), leadId: randomUUID(), field: 'email', valueHash: 'v' };
  const hashes = [
    hashCode('s', bound, '123456'),
    hashCode('t', bound, '123456'),
    hashCode('s', bound, '123457'),
    hashCode('s', { ...bound, funnelId: randomUUID() }, '123456'),
    hashCode('s', { ...bound, leadId: randomUUID() }, '123456'),
    hashCode('s', { ...bound, field: 'phone' }, '123456'),
    hashCode('s', { ...bound, valueHash: 'w' }, '123456'),
    // Without escaped quotes, the field and value hash of this code would look like those of `bound`.
    hashCode('s', { ...bound, field: 'email","v', valueHash: '' }, '123456'),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(isEqualConstantTime(hashes[0] ?? '', hashCode('s', bound, '123456'))).toBe(true);
  expect(isEqualConstantTime(hashes[0] ?? '', hashes[1] ?? '')).toBe(false);
  expect(isEqualConstantTime(hashes[0] ?? '', '')).toBe(false);
});

test('the same field value has different hashes on different leads', () => {
  const lead = { funnelId: randomUUID(), leadId: randomUUID() };
  const hash = hashFieldValue(lead, 'email', '"ada@shop.example"');
  expect(hashFieldValue(lead, 'email', '"ada@shop.example"')).toBe(hash);
  expect(hashFieldValue({ ...lead, leadId: randomUUID() }, 'email', '"ada@shop.example"')).not.toBe(hash);
});

test('spellings of an address that differ in case or Punycode have one hash in each organization, a different one in each', () => {
  const key = (orgId: string, destination: string) =>
    hashDestination('s', orgId, normalizeRecipient({ channel: 'email', destination }));
  const one = key('a', 'Ada@Bücher.Example');
  expect(key('a', 'ada@xn--bcher-kva.example')).toBe(one);
  expect(key('a', 'ADA@bu\u0308cher.example')).toBe(one);
  expect(key('b', 'ada@xn--bcher-kva.example')).not.toBe(one);
  expect(one).not.toContain('ada');
});
