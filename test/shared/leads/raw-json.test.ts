import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRawProperties, sanitizeJsonText, stringifyRawProperties } from '../../../shared/leads/raw-json.ts';

const anyObject = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 8 });

test('parseRawProperties returns the JSON of each property, with any white space between the properties', () => {
  fc.assert(
    fc.property(anyObject, fc.constantFrom(undefined, 1, '\t', ' \r\n'.slice(0, 3)), (object, space) => {
      const text = ` ${JSON.stringify(object, null, space)}\n`;
      const read = JSON.parse(text) as object;
      expect(Array.from(parseRawProperties(text), ([key, json]) => [key, JSON.parse(json)])).toEqual(
        Object.entries(read),
      );
    }),
  );
});

test('stringifying raw properties and parsing the result returns the same raw properties', () => {
  fc.assert(
    fc.property(anyObject, (object) => {
      const members = parseRawProperties(JSON.stringify(object));
      expect(parseRawProperties(stringifyRawProperties(members))).toEqual(members);
    }),
  );
});

test('the numbers in raw properties keep their digits', () => {
  const text = '{"a":12345678901234567890,"b":1e400,"c":1.0,"d":[1e-400,{"e":-0.0}]}';
  expect(Object.fromEntries(parseRawProperties(text))).toEqual({
    a: '12345678901234567890',
    b: '1e400',
    c: '1.0',
    d: '[1e-400,{"e":-0.0}]',
  });
});

test('of several equal keys in raw JSON, the last key wins, even if it contains escapes', () => {
  expect(parseRawProperties('{"data":1,"other":2,"d\\u0061ta":{"x":3}}').get('data')).toBe('{"x":3}');
});

test('parseRawProperties ignores brackets and quotes inside strings', () => {
  const members = parseRawProperties('{"a":"}]\\"{","b":{"c":"]}\\\\"},"d":["\\\\\\""]}');
  expect(members.get('a')).toBe('"}]\\"{"');
  expect(members.get('b')).toBe('{"c":"]}\\\\"}');
  expect(members.get('d')).toBe('["\\\\\\""]');
});

test('sanitizeJsonText removes escapes of NUL, keeps a backslash before the text "u0000", and returns well-formed text', () => {
  expect(sanitizeJsonText('{"a\\u0000":"\\u0000x\\\\u0000"}')).toBe('{"a":"x\\\\u0000"}');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const stored = sanitizeJsonText(JSON.stringify(text));
      expect(stored.isWellFormed()).toBe(true);
      expect(JSON.parse(stored)).toBe(text.replaceAll('\0', ''));
    }),
  );
});
