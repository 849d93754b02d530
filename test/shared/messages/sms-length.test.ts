import { expect, test } from 'vitest';
import { fitsOneSms } from '../../../shared/messages/sms-length.ts';

test.each([
  ['160 letters of the GSM alphabet fit', 'ä'.repeat(160), true],
  ['161 letters of the GSM alphabet do not fit', 'ä'.repeat(161), false],
  ['80 characters of two septets each fit', '€'.repeat(80), true],
  ['81 characters of two septets each do not fit', '€'.repeat(81), false],
  ['70 characters of which one is not in the GSM alphabet fit', `ł${'a'.repeat(69)}`, true],
  ['71 characters of which one is not in the GSM alphabet do not fit', `ł${'a'.repeat(70)}`, false],
  ['35 emoji of two UTF-16 units each fit', '💥'.repeat(35), true],
  ['36 emoji of two UTF-16 units each do not fit', '💥'.repeat(36), false],
])('%s into one SMS', (_, text, fits) => {
  expect(fitsOneSms(text)).toBe(fits);
});
