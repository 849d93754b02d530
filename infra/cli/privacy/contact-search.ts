import type { CountryCode } from 'libphonenumber-js/min';
import type { ContactSearch } from '../../../shared/analytics/raw-events/ports.ts';
import { createContactMatcher, type PersonIdentifier } from './person-identifier.ts';

/** A page may encode a value within a URL that is itself a parameter of another URL. */
const DECODINGS_MAX = 3;
const ENCODED = /(?:%[0-9a-f]{2})+/gi;
/** Characters that separate an e-mail address from its surroundings, in URLs, JSON and text. */
const NOT_IN_ADDRESS = /[\s"'\u2018-\u201f\u00ab\u00bb<>(),;:&=?#/\\{}[\]|]+/;
/** Digits with the separators that people write in phone numbers. Word characters end the run. */
const NUMBER = /\+?\d[\d ()/.\-\u2010-\u2015]{4,60}\d/g;
/** A group of digits that a number can begin or end with. */
const GROUP = /[+\d]+/g;
/** The last digits are the same in every notation of a number. */
const TAIL_DIGITS = 6;

/** Finds an e-mail address or a phone number in data of pages: also URL-encoded, never as part of a longer one. */
export function createContactSearch(person: PersonIdentifier, countries: readonly CountryCode[]): ContactSearch {
  const isContact = createContactMatcher(person, countries);
  const candidatesOf = 'email' in person ? addressesIn : numbersIn;
  return {
    pattern: 'email' in person ? '@|%(?:25){0,3}40' : digitsPattern(person.phone.slice(-TAIL_DIGITS)),
    isIn: (text) => spellingsOf(text).some((spelling) => candidatesOf(spelling).some(isContact)),
  };
}

/** The digits with the characters that may separate them, also encoded. */
const digitsPattern = (digits: string): string => [...digits].join('(?:[^0-9%]|%(?:25){0,3}2[0-9a-f]){0,3}');

/** The text, and the text decoded once or more. */
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

/** Forms encode a space as `+`, which an address may contain too, so the text after each `+` is a candidate as well. */
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

/** Each run, and its parts between groups of digits: a date or an id may be next to the number. */
const numbersIn = (text: string): string[] =>
  (text.match(NUMBER) ?? []).flatMap((run) => {
    const groups = [...run.matchAll(GROUP)].slice(0, GROUPS_MAX);
    return groups.flatMap(({ index }, first) =>
      groups.slice(first).map((last) => run.slice(index, last.index + last[0].length)),
    );
  });

const SUFFIXES_MAX = 10;
const GROUPS_MAX = 12;
