import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeText } from '../../../shared/platform/normalize-text.ts';

test('a text with at most 30 combining marks in a row is trimmed and converted to NFC', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite' }), fc.nat(30), (text, marks) => {
      const marked = ` ${text}e${'\u0323\u0301'.repeat(15).slice(0, marks)}x\t`;
      expect(normalizeText(marked)).toBe(marked.normalize('NFC').trim());
    }),
  );
});

test('a text of 1 MB with more than 30 combining marks in a row is only trimmed, which takes little time', () => {
  const endless = `a${'\u0301\u0323'.repeat(260_000)}`;
  // Converting one of these texts to NFC would take most of a minute.
  for (let time = 0; time < 5; time++) expect(normalizeText(` ${endless} `) === endless).toBe(true);
});
