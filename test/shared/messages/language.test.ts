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
  ['pt', 'xx'],
  ['de;q=0, fr', 'xx'],
  ['*', 'xx'],
  ['', 'xx'],
  [';;;,,q=,de;q=abc', 'xx'],
])('Accept-Language %j selects %s', (accepts, chosen) => {
  expect(negotiateLanguage(accepts, [...AVAILABLE, 'xx'], ['xx'])).toBe(chosen);
});

test('any Accept-Language header selects an available language or none', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000 }), (accepts) => {
      expect([...AVAILABLE, undefined]).toContain(negotiateLanguage(accepts, AVAILABLE, []));
    }),
  );
});
