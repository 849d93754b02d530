import fc from 'fast-check';
import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';
import { maskDestination } from '../../../shared/verification/mask-destination.ts';

test.each([
  ['john@example.com', 'j***@e***.com'],
  ['j@example.com', 'j***@e***.com'],
  ['john.doe+tag@mail.shop.example.co.uk', 'j***@m***.uk'],
  ['ada@x.example', 'a***@x***.example'],
  ['müller@bücher.example', 'm***@b***.example'],
  ['é@é.example', 'é***@é***.example'],
])('the address %s is masked as %s', (address, masked) => {
  expect(maskDestination('email', address)).toBe(masked);
});

test.each([
  ['+4930901820', '+49*****20'],
  ['+12025550123', '+1*****23'],
  ['+3725550123', '+372*****23'],
  ['+79161234567', '+7*****67'],
  // These numbers are too short to show digits of the national number.
  ['+6834000', '+683*****'],
  ['+29012345', '+290*****'],
])('the number %s is masked as %s', (number, masked) => {
  expect(maskDestination('sms', number)).toBe(masked);
});

const label = fc.stringMatching(/^[a-z0-9]{1,20}$/);

test('a masked address shows only one letter of the local part, one letter of the domain, and the top-level domain', () => {
  const address = fc.tuple(label, fc.array(label, { minLength: 1, maxLength: 3 }), fc.constantFrom('com', 'example'));
  fc.assert(
    fc.property(address, ([local, labels, topLevel]) => {
      const shown = maskDestination('email', `${local}@${labels.join('.')}.${topLevel}`);
      expect(shown).toBe(`${local[0]}***@${labels[0]?.[0]}***.${topLevel}`);
    }),
  );
});

test('a masked number of any country shows the calling code and at most the last two digits', () => {
  const number = fc.tuple(fc.constantFrom(...getCountries()), fc.stringMatching(/^[1-9]\d{3,11}$/));
  fc.assert(
    fc.property(number, ([country, national]) => {
      const callingCode = getCountryCallingCode(country as CountryCode);
      const shown = maskDestination('sms', `+${callingCode}${national}`);
      expect(shown).toBe(`+${callingCode}*****${national.length < 6 ? '' : national.slice(-2)}`);
    }),
  );
});
