import { domainToASCII } from 'node:url';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import * as z from 'zod/mini';
import { keep, refuse, textRule, tooLong } from './verdict.ts';

const EMAIL_CHARACTERS_MAX = 254;
const LOCAL_PART_CHARACTERS_MAX = 64;
/** With all that people write between the 15 digits of E.164. */
const PHONE_CHARACTERS_MAX = 100;
const EmailAddress = z.email();
/** What a domain may be written with before it is put into ASCII; the conversion alone would drop a path or a line break. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;

export const email = textRule((value) => {
  if (value.length > EMAIL_CHARACTERS_MAX) return tooLong(EMAIL_CHARACTERS_MAX);
  return isEmailAddress(value) ? keep(value) : refuse('format', 'Must be an e-mail address.');
});

/** Domains with letters beyond ASCII are judged in their ASCII form. */
function isEmailAddress(value: string): boolean {
  const at = value.lastIndexOf('@');
  const [localPart, domain] = [value.slice(0, at), value.slice(at + 1)];
  if (at < 1 || at > LOCAL_PART_CHARACTERS_MAX || !DOMAIN.test(domain)) return false;
  return EmailAddress.safeParse(`${localPart}@${domainToASCII(domain)}`).success;
}

/**
 * Stored as E.164, also of full-width digits and signs. Without `+` the number is read as one of the field's country,
 * else of the funnel's.
 */
export const phone = textRule((value, field, country) => {
  if (value.length > PHONE_CHARACTERS_MAX) return tooLong(PHONE_CHARACTERS_MAX);
  const home = field.country ?? country;
  const number = parsePhoneNumberFromString(value.normalize('NFKC'), {
    extract: false,
    // An unknown country is taken as none by the library.
    ...(home === undefined ? {} : { defaultCountry: home.toUpperCase() as CountryCode }),
  });
  return number?.isValid()
    ? keep(number.number)
    : refuse('format', 'Must be a phone number, with + and country code unless national.');
});
