import fc from 'fast-check';
import { expect, test } from 'vitest';
import { negotiateLanguage } from '../../../shared/messages/language.ts';

const AVAILABLE = ['de', 'en', 'pt-BR'];

test.each([
  ['de', 'de'],
  ['DE-at', 'de'],
  ['fr, en;q=0.5, de;q=0.7', 'de'],
  ['en;q=0.5,de;q=0.5', 'en'],
  ['pt-BR', 'pt-BR'],
  ['pt', 'the fallback'],
  ['de;q=0, fr', 'the fallback'],
  ['*', 'the fallback'],
  ['', 'the fallback'],
  [';;;,,q=,de;q=abc', 'the fallback'],
])('Accept-Language %j selects %s', (accepts, chosen) => {
  expect(negotiateLanguage(accepts, [...AVAILABLE, 'the fallback'], ['the fallback'])).toBe(chosen);
});

test('any Accept-Language header selects an available language or none', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000 }), (accepts) => {
      expect([...AVAILABLE, undefined]).toContain(negotiateLanguage(accepts, AVAILABLE, []));
    }),
  );
});
