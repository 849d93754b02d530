import { expect, test } from 'vitest';
import { fitsOneSms } from '../../../shared/messages/sms-length.ts';

test.each([
  ['160 letters of the GSM alphabet', 'ä'.repeat(160), true],
  ['161 of them', 'ä'.repeat(161), false],
  ['80 that take two places each', '€'.repeat(80), true],
  ['81 of them', '€'.repeat(81), false],
  ['70 units with a letter beyond the alphabet', `ł${'a'.repeat(69)}`, true],
  ['71 of them', `ł${'a'.repeat(70)}`, false],
  ['35 signs of two units each', '💥'.repeat(35), true],
  ['36 of them', '💥'.repeat(36), false],
])('%s: %s', (_, text, fits) => {
  expect(fitsOneSms(text)).toBe(fits);
});
