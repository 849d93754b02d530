import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeText } from '../../../shared/platform/normalize-text.ts';

test('any text is trimmed and its letters are composed, also with as many marks as a language may write', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite' }), fc.nat(30), (text, marks) => {
      const marked = ` ${text}e${'\u0323\u0301'.repeat(15).slice(0, marks)}x\t`;
      expect(normalizeText(marked)).toBe(marked.normalize('NFC').trim());
    }),
  );
});

test('what no language writes stays as it is, and takes no longer for it', () => {
  const endless = `a${'\u0301\u0323'.repeat(260_000)}`;
  // One of these bodies of 1 MB takes most of a minute to compose.
  for (let time = 0; time < 5; time++) expect(normalizeText(` ${endless} `) === endless).toBe(true);
});
