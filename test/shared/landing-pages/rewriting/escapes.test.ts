import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aSource, HOST } from '../../../support/landing-pages/rewriting.ts';

const IDN = 'dächer-gra.example';
const source = aSource({ copyAssets: true });
const { ids, keys, whole } = source;
const ownIds = [...new Set([...Object.values(ids), ...whole.assets.map(({ id }) => id)])].filter(
  (id) => id !== ids.strangeId,
);
const hostnames = [HOST, 'xn--dcher-gra.example', 'dächer.example'];

const escapeEach = (text: string, escaped: (character: string, code: number) => string) =>
  [...text].map((character) => escaped(character, character.codePointAt(0) ?? 0)).join('');
const hex = (code: number, length: number) => code.toString(16).padStart(length, '0');
const special = (escaped: (character: string, code: number) => string) => (text: string) =>
  escapeEach(text, (character, code) => (/[A-Za-z0-9]/.test(character) ? character : escaped(character, code)));
const percentEncode = (character: string) => [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join('');

/** How editors and page builders embed a text in another text. */
const ENCODERS: Record<string, (text: string) => string> = {
  'JSON in a string of JSON': (text) => JSON.stringify({ nested: text }),
  'slashes escaped for JSON in a script': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'special characters as \\u': special((_, code) => (code > 0xffff ? '?' : `\\u${hex(code, 4)}`)),
  'special characters as \\x': special((character, code) => (code > 0xff ? character : `\\x${hex(code, 2)}`)),
  'an HTML attribute': (text) =>
    `<div data-config="${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}">`,
  'special characters as decimal entities': special((_, code) => `&#${code};`),
  'special characters as hexadecimal entities': special((_, code) => `&#x${hex(code, 4)};`),
  'special characters as CSS escapes': special((_, code) => `\\${hex(code, 1)} `),
  'a query parameter': (text) => `https://other.example/?next=${encodeURIComponent(text)}`,
  'special characters percent-encoded': special(percentEncode),
  'a url() of a style sheet': (text) => `a{background:url("${text.replaceAll('"', '\\"')}")}`,
  'lines of a text': (text) => `first line\n${text}\nlast line`,
};

/** Encoders that escape every character. Only the first level uses them, because nested texts grow exponentially. */
const FULL_ENCODERS: Record<string, (text: string) => string> = {
  none: (text) => text,
  'every character as \\u': (text) => escapeEach(text, (_, code) => `\\u${hex(code, 4)}`),
  'every character percent-encoded': (text) => escapeEach(text, percentEncode),
  'every character as an entity': (text) => escapeEach(text, (_, code) => `&#${code};`),
  'every character as a CSS escape': (text) => escapeEach(text, (_, code) => `\\${hex(code, 6)}`),
};

/** Decodes one level of every kind of escape, independently of the code under test. */
const decodeOnce = (text: string): string =>
  text
    .replace(/\\+u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\+x([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\+([0-9a-f]{2,6}) ?/gi, (escaped, code) =>
      Number.parseInt(code, 16) <= 0x10ffff ? String.fromCodePoint(Number.parseInt(code, 16)) : escaped,
    )
    .replace(/\\+(["/])/g, '$1')
    .replace(/\\+n/g, '\n')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => Buffer.from(encoded.replaceAll('%', ''), 'hex').toString());

function decodeFully(text: string): string[] {
  const levels = [text];
  for (let next = decodeOnce(text); next !== levels.at(-1); next = decodeOnce(next)) levels.push(next);
  return levels;
}

const WORD = String.raw`[\p{L}\p{M}\p{N}_-]`;
const isHostIn = (host: string, text: string) =>
  new RegExp(`(?<!${WORD}|\\.)${host.replaceAll('.', '\\.')}(?!${WORD}|\\.${WORD})`, 'iu').test(text);

function leftOf(copy: string): string[] {
  const levels = decodeFully(copy);
  return [
    ...ownIds.filter((id) => levels.some((text) => text.toLowerCase().includes(id))),
    ...hostnames.filter((host) => levels.some((text) => isHostIn(host, text))),
  ];
}

const aReference = fc.constantFrom(
  ...[...ownIds, ids.funnelId.toUpperCase(), HOST, HOST.toUpperCase(), 'dächer.example', 'xn--dcher-gra.example'],
  ...[`https://${HOST}/a?b=c`, `//${HOST}:8443`, 'https://dächer.example/', `mailto:info@${HOST}`],
  ...keys.flatMap((key) => [key, `/assets/${key}`, `https://${HOST}/assets/${key}?w=200`]),
);
const anEncoding = fc.tuple(
  fc.constantFrom(...Object.keys(FULL_ENCODERS)),
  fc.array(fc.constantFrom(...Object.keys(ENCODERS)), { maxLength: 6 }),
);
const encode = (text: string, [full, encoders]: readonly [string, readonly string[]]): string =>
  encoders.reduce(
    (inner, name) => {
      const encoded = (ENCODERS[name] ?? String)(inner);
      return encoded.length > 20_000 ? inner : encoded;
    },
    (FULL_ENCODERS[full] ?? String)(text),
  );

test('no id or hostname of the source remains in a copy, for any nesting of up to seven escapings', () => {
  fc.assert(
    fc.property(aReference, aReference, anEncoding, (one, other, encoding) => {
      const text = encode(`${one} ${other}`, encoding);
      expect(leftOf(source.body(JSON.stringify({ text, [text]: 1 })))).toEqual([]);
      expect(leftOf(source.css(text))).toEqual([]);
    }),
    { numRuns: 1_500 },
  );
});

test('the body of a copy is valid JSON, for any escaping', () => {
  fc.assert(
    fc.property(aReference, anEncoding, (reference, encoding) => {
      const body = source.body(JSON.stringify([encode(reference, encoding)]));
      expect(() => JSON.parse(body)).not.toThrow();
    }),
    { numRuns: 1_000 },
  );
});

test('texts without references stay unchanged, for any escaping', () => {
  const unrelated = fc.constantFrom(ids.strangeId, `https://www.${HOST}/`, `https://${IDN}/ä?b=%2F`, 'a & b \\n 100 %');
  fc.assert(
    fc.property(unrelated, anEncoding, (text, encoding) => {
      const body = JSON.stringify([encode(text, encoding)]);
      expect(source.body(body)).toBe(body);
    }),
    { numRuns: 1_000 },
  );
});
