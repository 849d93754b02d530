import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiAddress, formatMailbox } from '../../../shared/messages/mailbox-address.ts';
import { NAUGHTY_STRINGS } from '../../support/naughty-strings.ts';

/** Decodes a header's phrase like a mail program (RFC 5322 and RFC 2047). */
const nameIn = (header: string): string => {
  const phrase = header.slice(0, header.lastIndexOf(' <'));
  if (phrase.startsWith('"')) return phrase.slice(1, -1).replace(/\\(.)/g, '$1');
  return phrase
    .split(' ')
    .map((word) => Buffer.from(/^=\?UTF-8\?B\?([A-Za-z0-9+/=]*)\?=$/.exec(word)?.[1] ?? '', 'base64').toString())
    .join('');
};

test.each([
  ['Northlight Solar', '"Northlight Solar" <codes@shop.example>'],
  ['Anna "A" \\ Co <x@y>', '"Anna \\"A\\" \\\\ Co <x@y>" <codes@shop.example>'],
  ['Müller', '=?UTF-8?B?TcO8bGxlcg==?= <codes@shop.example>'],
  ['', 'codes@shop.example'],
])('the mailbox with the name “%s” is formatted as %s', (name, header) => {
  expect(formatMailbox(name, 'codes@shop.example')).toBe(header);
});

test('asciiAddress encodes a non-ASCII domain in ASCII, and keeps the local part', () => {
  expect(asciiAddress('Ada@Bücher.example')).toBe('Ada@xn--bcher-kva.example');
});

test('any normalized name can be decoded from its mailbox header; each encoded word has at most 75 characters', () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
    fc.constantFrom(...NAUGHTY_STRINGS),
  );
  fc.assert(
    fc.property(name, (given) => {
      // Normalizes the name like `renderCodeMessage`.
      const clean = given
        .toWellFormed()
        .replace(/[\p{C}\p{Z}]+/gu, ' ')
        .trim()
        .slice(0, 100)
        .toWellFormed();
      fc.pre(clean !== '');
      const header = formatMailbox(clean, 'codes@shop.example');
      expect(header).toMatch(/^[ -~]+ <codes@shop\.example>$/);
      expect(nameIn(header)).toBe(clean);
      if (header.startsWith('=?')) for (const word of header.split(' ')) expect(word.length).toBeLessThanOrEqual(75);
    }),
  );
});
