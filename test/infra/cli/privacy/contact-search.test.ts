import { expect, test } from 'vitest';
import { createContactSearch } from '../../../../infra/cli/privacy/contact-search.ts';

const email = createContactSearch({ email: 'ada+x@shop.example' }, []);
const phone = createContactSearch({ phone: '+4930901820' }, ['DE']);
const matches = ({ pattern, isIn }: typeof email, text: string) => new RegExp(pattern, 'i').test(text) && isIn(text);

test.each([
  'https://shop.example/?m=ada+x@shop.example',
  'https://shop.example/?m=ADA%2Bx%40Shop.example&n=1',
  'https://login.example/?back=https%3A%2F%2Fshop.example%2F%3Fm%3Dada%252Bx%2540shop.example',
  '{"contact":"ada+x@shop.example"}',
  'mailto:ada+x@shop.example?subject=Hi',
  'Write to ada+x@shop.example.',
  '%zz ada+x@shop.example %',
  'https://shop.example/?q=mail+ada+x@shop.example',
  '“ada+x@shop.example”',
])('the address ada+x@shop.example is found in %j', (text) => {
  expect(matches(email, text)).toBe(true);
});

test.each([
  'https://shop.example/?m=xada+x@shop.example',
  'https://shop.example/?m=v%2Eada%2Bx%40shop.example',
  'https://shop.example/?m=ada+x@shop.example.org',
  'https://shop.example/?m=ada@shop.example',
])('the address ada+x@shop.example is not found in %j', (text) => {
  expect(matches(email, text)).toBe(false);
});

test.each([
  'https://shop.example/?tel=%2B49%2030%20901820',
  'https://shop.example/?tel=030901820',
  'tel:+49-30-901820',
  '{"phone":"0049 30 901820"}',
  '{"phone":"(030) 90 18 20"}',
  '2026-03-02 030 901820',
  '2026-03-02 10:00, 1/2/3/4/5/6/7/8/9, 0 3 0 9 0 1 8 2 0',
  '1 2 3 4 5 6 7 8 9 0 0 4 9 3 0 9 0 1 8 2 0',
  'https://shop.example/?tel=030%20901%E2%80%90820',
  'https://shop.example/?tel=%2B4930901820\n3f2a9c00',
])('the number +4930901820 is found in %j', (text) => {
  expect(matches(phone, text)).toBe(true);
});

test.each(['{"at":1716930901820}', '{"phone":"+49 30 9018201"}', '{"phone":"+49 40 901820"}', 'id=490901820'])(
  'the number +4930901820 is not found in %j',
  (text) => {
    expect(matches(phone, text)).toBe(false);
  },
);

test('a search in a hostile text of 60,000 characters ends without a match', () => {
  for (const text of ['%25'.repeat(20_000), '@'.repeat(60_000), '1'.repeat(60_000), '1 '.repeat(30_000)]) {
    expect([email, phone].map((search) => matches(search, text))).toEqual([false, false]);
  }
});
