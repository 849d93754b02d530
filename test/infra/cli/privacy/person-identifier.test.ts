import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createLeadDataMatcher,
  listCountries,
  type PersonIdentifier,
  parsePersonEmail,
  parsePersonPhone,
} from '../../../../infra/cli/privacy/person-identifier.ts';
import { FunnelVersion } from '../../../../shared/funnels/funnel.ts';

const emailOf = (given: string): PersonIdentifier => parsePersonEmail(given) ?? { email: '' };
const phoneOf = (given: string): PersonIdentifier => parsePersonPhone(given) ?? { phone: '' };

const names = (person: PersonIdentifier, value: unknown, countries: readonly ('DE' | 'AT')[] = ['DE']) =>
  createLeadDataMatcher(person, countries)(new Map([['x', JSON.stringify(value)]]));

describe('e-mail address', () => {
  const ada = emailOf(' Ada@Shöp.example ');

  test.each([
    'ada@shöp.example',
    'ADA@SHÖP.EXAMPLE',
    ' ada@shöp.example\n',
    'ada@xn--shp-tna.example',
    'ada@sho\u0308p.example',
  ])('ada@shöp.example matches lead data with the value %j', (other) => {
    expect(names(ada, other)).toBe(true);
    expect(names(ada, { deep: [[{ er: other }]] })).toBe(true);
  });

  test.each([
    'xada@shöp.example',
    'ada@shöp.example.org',
    'ada@shop.example',
    'ada+news@shöp.example',
    'Write to ada@shöp.example',
    { 'ada@shöp.example': 1 },
    '',
    null,
  ])('ada@shöp.example does not match lead data with the value %j', (other) => expect(names(ada, other)).toBe(false));

  test('ada@shöp.example matches JSON text in which the address has escapes', () => {
    const escaped = '"\\u0061da\\u0040sh\\u00f6p.example"';
    expect(createLeadDataMatcher(ada, [])(new Map([['x', escaped]]))).toBe(true);
  });

  test.each(['', 'ada', '@shop.example', 'ada@', 'a b@c', 'a'.repeat(400)])(
    '%j is not parsed, because it is not an e-mail address',
    (given) => expect(parsePersonEmail(given)).toBeUndefined(),
  );
});

describe('phone number', () => {
  const berlin = phoneOf('+49 30 901820');

  test.each([
    ...['+4930901820', '0049 30 90 18 20', '030 901820', '(030) 90-18-20', '030/901820', '+49 (0)30 901820'],
    ...['４９３０９０１８２０', '+４９ ３０ ９０１８２０', 'tel:+49-30-901820', 30901820],
  ])('+49 30 901820 matches lead data with the value %j', (other) => expect(names(berlin, other)).toBe(true));

  test.each(['+4930901821', '+493090182', '901820', 'Call 030 901820', '+43 30 901820', 'x'.repeat(1_000), true])(
    '+49 30 901820 does not match lead data with the value %j',
    (other) => expect(names(berlin, other)).toBe(false),
  );

  test('+49 30 901820 matches "030 901820" only if the countries of the funnel include DE', () => {
    expect(names(berlin, '030 901820', ['AT', 'DE'])).toBe(true);
    expect(names(berlin, '030 901820', ['AT'])).toBe(false);
    expect(names(berlin, '030 901820', [])).toBe(false);
  });

  test.each(['', '030 901820', 'ada', '+'])(
    '%j is not parsed, because it is not a number with a country code',
    (given) => expect(parsePersonPhone(given)).toBeUndefined(),
  );
});

test('listCountries returns the countries of all versions and of their fields, each country once', () => {
  const version = (said: object) => ({ id: crypto.randomUUID(), funnelId: crypto.randomUUID(), fields: [], ...said });
  const versions = [
    version({ country: 'de' }),
    version({ country: 'DE', fields: [{ id: 'p', type: 'phone', country: 'AT' }] }),
    version({}),
  ].map((said) => FunnelVersion.parse(said));
  expect(listCountries(versions)).toEqual(['DE', 'AT']);
});

test('random lead data matches neither an address nor a number, and the matcher never throws', () => {
  const isNamed = [emailOf('ada@shop.example'), phoneOf('+4930901820')].map((person) =>
    createLeadDataMatcher(person, ['DE']),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
      const stored = new Map(Object.entries(data).map(([key, value]) => [key, JSON.stringify(value)]));
      for (const test of isNamed) expect(test(stored)).toBe(false);
    }),
  );
});
