import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { accept, reject, textValidator, tooLong } from './field-validator.ts';

/** Maximum length of the text. It leaves room for separators between the 15 digits of E.164. */
const PHONE_CHARACTERS_MAX = 100;

/**
 * Normalizes a phone number to E.164. Full-width digits and signs are accepted. A number without `+` is read as a
 * number of the field's country, by default the country of the funnel version.
 */
export const validatePhone = textValidator((value, field, country) => {
  if (value.length > PHONE_CHARACTERS_MAX) return tooLong(PHONE_CHARACTERS_MAX);
  const defaultCountry = field.country ?? country;
  const number = parsePhoneNumberFromString(value.normalize('NFKC'), {
    extract: false,
    // The cast is safe, because the library ignores an unknown country.
    ...(defaultCountry !== undefined && { defaultCountry: defaultCountry.toUpperCase() as CountryCode }),
  });
  return number?.isValid()
    ? accept(number.number)
    : reject('format', 'Must be a phone number. Start it with + and the country code.');
});
