import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { FunnelVersion } from '../../../shared/funnels/funnel.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { normalizeDestination } from '../../../shared/messages/destination.ts';

/** Identifies the person to find by a normalized e-mail address, or by a phone number in E.164. */
export type PersonIdentifier = { email: string } | { phone: string };

/** Maximum length of a compared text. No e-mail address or phone number is longer. */
const CHARACTERS_MAX = 320;
/**
 * Number of last digits that are compared first. All notations of a phone number without an extension end with the same
 * digits.
 */
const TAIL_DIGITS = 6;
const MARKS = /^tel:|[\s()/.\-\u2010-\u2015]/giu;

/** @returns undefined if `given` is not an e-mail address */
export function parsePersonEmail(given: string): PersonIdentifier | undefined {
  const address = given.trim();
  return /^[^@\s]+(?:@[^@\s]+)+$/.test(address) && address.length <= CHARACTERS_MAX
    ? { email: addressOf(address) }
    : undefined;
}

/** The international call prefix that most countries dial instead of +. No national number begins with this prefix. */
const DIALED_PLUS = /^00/;

/** @returns undefined if `given` is not a phone number with a country code */
export function parsePersonPhone(given: string): PersonIdentifier | undefined {
  const number = parsePhoneNumberFromString(given.normalize('NFKC').trim().replace(DIALED_PLUS, '+'), {
    extract: false,
  });
  return number === undefined ? undefined : { phone: number.number };
}

/** Returns the countries whose national numbers a funnel's fields accept. */
export const listCountries = (versions: readonly FunnelVersion[]): CountryCode[] => [
  ...new Set(
    versions
      .flatMap(({ country, fields }) => [country, ...fields.map((field) => field.country)])
      .flatMap((country) => (country === undefined ? [] : [country.toUpperCase() as CountryCode])),
  ),
];

/**
 * Returns a function that checks the strings and numbers in a lead's data, at any depth. One of them must equal the
 * person's address or phone number. Ignores the case of the whole address, as mailbox providers and verification do.
 */
export function createLeadDataMatcher(
  person: PersonIdentifier,
  countries: readonly CountryCode[],
): (data: Lead['data']) => boolean {
  const [mayHold, isMeant] = testsOf(person, countries);
  return (data) => {
    for (const json of data.values()) if (mayHold(json) && holds(JSON.parse(json), isMeant)) return true;
    return false;
  };
}

/** Returns a function that checks whether a text equals the person's address or phone number. */
export const createContactMatcher = (
  person: PersonIdentifier,
  countries: readonly CountryCode[],
): ((text: string) => boolean) => testsOf(person, countries)[1];

const testsOf = (person: PersonIdentifier, countries: readonly CountryCode[]): Tests =>
  'email' in person ? emailTest(person.email) : phoneTest(person.phone, countries);

/**
 * Two checks. `mayHold` is fast. If it returns false, the JSON text does not contain the address or number. `isMeant`
 * decides whether a string is the address or number.
 */
type Tests = readonly [mayHold: (json: string) => boolean, isMeant: (text: string) => boolean];

const addressOf = (text: string): string =>
  normalizeDestination({ channel: 'email', destination: text.trim().normalize('NFC') });

/**
 * Whether the JSON text may have escapes. Such a text always passes the fast check, because an escape can represent any
 * character.
 */
const isEscaped = (json: string): boolean => json.includes('\\u');

const emailTest = (address: string): Tests => [
  (json) => json.includes('@') || isEscaped(json),
  (text) => text.length <= CHARACTERS_MAX && text.includes('@') && addressOf(text) === address,
];

function phoneTest(number: string, countries: readonly CountryCode[]): Tests {
  const digits = number.slice(1);
  const tail = digits.slice(-TAIL_DIGITS);
  const homes = [undefined, ...countries];
  const isMeant = (text: string) => {
    if (text.length > CHARACTERS_MAX) return false;
    const plain = text.normalize('NFKC').trim();
    if (!plain.replace(/\D/g, '').endsWith(tail)) return false;
    const bare = plain.replace(MARKS, '');
    return [number, digits, `00${digits}`].includes(bare) || homes.some((home) => numberIn(plain, home) === number);
  };
  return [(json) => /\d/.test(json) || isEscaped(json) || /[^\0-\x7f]/.test(json), isMeant];
}

const numberIn = (text: string, defaultCountry: CountryCode | undefined): string | undefined =>
  parsePhoneNumberFromString(text, { extract: false, ...(defaultCountry !== undefined && { defaultCountry }) })?.number;

function holds(value: unknown, isMeant: (text: string) => boolean): boolean {
  if (typeof value === 'string') return isMeant(value);
  if (typeof value === 'number') return isMeant(String(value));
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => holds(inner, isMeant));
}
