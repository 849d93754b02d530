import type { CountryCode } from 'libphonenumber-js/min';
import type { ContactSearch } from '../../../shared/analytics/raw-events/ports.ts';
import { createContactMatcher, type PersonIdentifier } from './person-identifier.ts';

/**
 * Maximum number of times that a text is URL-decoded. If a URL is a parameter of another URL, the parameters of the
 * inner URL are encoded twice.
 */
const DECODINGS_MAX = 3;
const ENCODED = /(?:%[0-9a-f]{2})+/gi;
/** Characters that separate an e-mail address from its surroundings, in URLs, JSON and text. */
const NOT_IN_ADDRESS = /[\s"'\u2018-\u201f\u00ab\u00bb<>(),;:&=?#/\\{}[\]|]+/;
/** A run of digits with the separators that people write in phone numbers. */
const NUMBER = /\+?\d[\d ()/.\-\u2010-\u2015]{4,60}\d/g;
/** A group of digits between two separators. A phone number begins and ends with such a group. */
const GROUP = /[+\d]+/g;
/** Number of last digits by which a phone number is searched. Every notation of a number ends with these digits. */
const TAIL_DIGITS = 6;

/**
 * Creates a search for an e-mail address or a phone number in events. The search also finds the contact in URL
 * encoding. It does not find the contact as a part of a longer address or number, with two exceptions: after a `+` in
 * an address, and where separators divide the contact from the other digits of a number.
 */
export function createContactSearch(person: PersonIdentifier, countries: readonly CountryCode[]): ContactSearch {
  const isContact = createContactMatcher(person, countries);
  const candidatesOf = 'email' in person ? addressesIn : numbersIn;
  return {
    pattern: 'email' in person ? '@|%(?:25){0,3}40' : digitsPattern(person.phone.slice(-TAIL_DIGITS)),
    isIn: (text) => spellingsOf(text).some((spelling) => candidatesOf(spelling).some(isContact)),
  };
}

/** URL encoding of an ASCII separator, or of a hyphen or dash from U+2010 to U+2015. May be encoded several times. */
const ENCODED_SEPARATOR = '%(?:25){0,3}(?:2[0-9a-f]|e2%(?:25){0,3}80%(?:25){0,3}9[0-5])';

/** Returns a pattern for the digits. Up to three separators, which may be URL-encoded, may follow a digit. */
const digitsPattern = (digits: string): string => [...digits].join(`(?:[^0-9%]|${ENCODED_SEPARATOR}){0,3}`);

/** Returns the text itself, and the text decoded once, twice and so on. */
function spellingsOf(text: string): string[] {
  const spellings = [text];
  for (let last = text; spellings.length <= DECODINGS_MAX; ) {
    const decoded = last.replace(ENCODED, decodedOrSame);
    if (decoded === last) break;
    spellings.push(decoded);
    last = decoded;
  }
  return spellings;
}

function decodedOrSame(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/**
 * Returns the parts of the text that may be addresses. A `+` can belong to an address, or be a space that a form has
 * encoded. Therefore, the function returns each part as a whole, and also what follows each of its first ten `+`.
 */
const addressesIn = (text: string): string[] =>
  text
    .split(NOT_IN_ADDRESS)
    .filter((part) => part.includes('@'))
    .map((part) => part.replace(/^\.+|\.+$/g, ''))
    .flatMap((part) => [part, ...suffixesOf(part)]);

function suffixesOf(part: string): string[] {
  const [name = ''] = part.split('@');
  const marks = [...name.matchAll(/\+/g)].slice(0, SUFFIXES_MAX);
  return marks.map(({ index }) => part.slice(index + 1));
}

/**
 * Returns the parts of the text that may be phone numbers. A run of digit groups may also contain a date or an id.
 * Therefore, the function returns every sequence of up to `GROUPS_MAX` adjacent groups of a run.
 */
const numbersIn = (text: string): string[] =>
  (text.match(NUMBER) ?? []).flatMap((run) => {
    const groups = [...run.matchAll(GROUP)];
    return groups.flatMap(({ index }, first) =>
      groups.slice(first, first + GROUPS_MAX).map((last) => run.slice(index, last.index + last[0].length)),
    );
  });

const SUFFIXES_MAX = 10;
/** Each group has at least one digit. A number has at most 15 digits (E.164), and the prefix `00` has two. */
const GROUPS_MAX = 17;
