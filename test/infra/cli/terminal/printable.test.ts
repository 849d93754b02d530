import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableJson, printableLine } from '../../../../infra/cli/terminal/printable.ts';

test.each([
  ['\u001b[2J', '\\u001b[2J'],
  ['\u009b31m', '\\u009b31m'],
  ['a\u202egnp.exe', 'a\\u202egnp.exe'],
  ['a\u2066b\u2069', 'a\\u2066b\\u2069'],
  ['\ud800', '\\ud800'],
  ['a\nb', 'a\\u000ab'],
  ['日本 👩‍🚀 ﷽ é', '日本 👩‍🚀 ﷽ é'],
])('printableLine shows %j as %s', (text, shown) => {
  expect(printableLine(text)).toBe(shown);
});

test('printable turns each line break into \\n, and escapes other control characters', () => {
  expect(printable('a\r\nb\rc\nd\u0007')).toBe('a\nb\nc\nd\\u0007');
});

test('the result of printableLine contains no control characters and no lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printableLine(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(printableLine(text).isWellFormed()).toBe(true);
    }),
  );
});

test('printableJson returns one line with the same JSON value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      const line = printableJson(JSON.stringify(value, undefined, indent));
      expect(line).not.toMatch(/[\r\n\u0080-\u009f\u2028]/);
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
