import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutputLimiter, estimateMaxInputTokens } from '../../../shared/ai/token-estimate.ts';

const text = fc.string({
  unit: fc.constantFrom('a', 'ß', '€', '\u{1f600}', '\ud83d', '\ude00'),
  minLength: 1,
  maxLength: 60,
});
const deltas = fc.array(text, { maxLength: 30 });

test('estimateMaxInputTokens counts one token per byte of both texts, and 32 tokens for the template', () => {
  expect(estimateMaxInputTokens('', '')).toBe(32);
  expect(estimateMaxInputTokens('ab', '€\u{1f600}')).toBe(32 + 2 + 3 + 4);
});

test('until flush, the output stays within the limit; it is a prefix of the input, with lone surrogates replaced', () => {
  fc.assert(
    fc.property(deltas, fc.integer({ min: 1, max: 20 }), (deltasSent, tokensMax) => {
      const output = createOutputLimiter(tokensMax);
      const given = deltasSent.map((delta) => output.push(delta)).filter((kept) => kept !== '');
      const rest = output.flush();
      const whole = [...given, rest].join('');
      expect(given.length).toBeLessThanOrEqual(tokensMax);
      expect(Buffer.byteLength(given.join(''))).toBeLessThanOrEqual(16 * tokensMax);
      expect(output.bytes()).toBe(Buffer.byteLength(whole));
      expect(whole.isWellFormed()).toBe(true);
      expect(deltasSent.join('').toWellFormed().startsWith(whole)).toBe(true);
      if (!output.isTruncated()) expect(whole).toBe(deltasSent.join('').toWellFormed());
    }),
    { seed: 5, numRuns: 2_000 },
  );
});

test('output of exactly the allowed tokens is not truncated; one more delta is dropped and makes it truncated', () => {
  const output = createOutputLimiter(3);
  expect(['One', ' two', ' three'].map((delta) => output.push(delta)).join('')).toBe('One two three');
  expect(output.isTruncated()).toBe(false);
  expect(output.push(' four')).toBe('');
  expect(output.isTruncated()).toBe(true);
});

test('half of a surrogate pair at the end of the output is replaced, and bytes() counts the replacement', () => {
  const output = createOutputLimiter(10);
  expect(output.push('\ud83d')).toBe('');
  expect(output.flush()).toBe('\ufffd');
  expect(output.bytes()).toBe(3);
});
