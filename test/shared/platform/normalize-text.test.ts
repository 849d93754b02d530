import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeText } from '../../../shared/platform/normalize-text.ts';

test('trims any text and composes its letters, with as many marks as languages use', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite' }), fc.nat(30), (text, marks) => {
      const marked = ` ${text}e${'\u0323\u0301'.repeat(15).slice(0, marks)}x\t`;
      expect(normalizeText(marked)).toBe(marked.normalize('NFC').trim());
    }),
  );
});

test('keeps sequences that no language uses, and spends no additional time on them', () => {
  const endless = `a${'\u0301\u0323'.repeat(260_000)}`;
  // Composing one of these bodies of 1 MB takes most of a minute.
  for (let time = 0; time < 5; time++) expect(normalizeText(` ${endless} `) === endless).toBe(true);
});
