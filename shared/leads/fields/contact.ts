import { domainToASCII } from 'node:url';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import * as z from 'zod';
import { keep, refuse, textRule } from './verdict.ts';

const EMAIL_CHARACTERS_MAX = 254;
const EmailAddress = z.email();

export const email = textRule((value) => {
  if (value.length > EMAIL_CHARACTERS_MAX) {
    return refuse('length', `Must have at most ${EMAIL_CHARACTERS_MAX} characters.`);
  }
  return isEmailAddress(value) ? keep(value) : refuse('format', 'Must be an e-mail address.');
});

/** Domains with letters beyond ASCII are judged in their ASCII form. */
function isEmailAddress(value: string): boolean {
  const at = value.lastIndexOf('@');
  return at > 0 && EmailAddress.safeParse(`${value.slice(0, at)}@${domainToASCII(value.slice(at + 1))}`).success;
}

/** Stored as E.164. Without `+` the number is read as one of the field's country, else of the funnel's. */
export const phone = textRule((value, field, country) => {
  const home = field.country ?? country;
  const number = parsePhoneNumberFromString(value, {
    extract: false,
    // An unknown country is taken as none by the library.
    ...(home === undefined ? {} : { defaultCountry: home.toUpperCase() as CountryCode }),
  });
  return number?.isValid()
    ? keep(number.number)
    : refuse('format', 'Must be a phone number, with + and country code unless national.');
});
