import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { accept, reject, textValidator, tooLong } from './field-validator.ts';

/** With all that people write between the 15 digits of E.164. */
const PHONE_CHARACTERS_MAX = 100;

/**
 * Stored as E.164, also of full-width digits and signs. Without `+` the number is read as one of the field's country,
 * else of the funnel's.
 */
export const validatePhone = textValidator((value, field, country) => {
  if (value.length > PHONE_CHARACTERS_MAX) return tooLong(PHONE_CHARACTERS_MAX);
  const home = field.country ?? country;
  const number = parsePhoneNumberFromString(value.normalize('NFKC'), {
    extract: false,
    // An unknown country is taken as none by the library.
    ...(home === undefined ? {} : { defaultCountry: home.toUpperCase() as CountryCode }),
  });
  return number?.isValid()
    ? accept(number.number)
    : reject('format', 'Must be a phone number. Start it with + and the country code.');
});
