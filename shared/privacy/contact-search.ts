import type { CountryCode } from 'libphonenumber-js/min';
import type { ContactSearch } from '../analytics/upkeep/raw-events.ts';
import { contactTest, type Person } from './person.ts';

/** A page encodes a value within a URL, which is then a parameter of another URL. */
const DECODINGS_MAX = 3;
const ENCODED = /(?:%[0-9a-f]{2})+/gi;
/** What separates an address from what is around it, in URLs, JSON and text. */
const NOT_IN_ADDRESS = /[\s"'<>(),;:&=?#/\\{}[\]|]+/;
/** Longer runs of digits and marks are no phone number. */
const NUMBER = /\+?\d[\d ()/.\-\u2010-\u2015]{4,40}\d/g;
/** So many digits of a number stand in every way to write it. */
const TAIL_DIGITS = 6;

/** Finds an e-mail address or a phone number within what pages sent: also encoded in URLs, never as part of a longer one. */
export function contactSearch(person: Person, countries: readonly CountryCode[]): ContactSearch {
  const isContact = contactTest(person, countries);
  const candidatesOf = 'email' in person ? addressesIn : numbersIn;
  return {
    pattern: 'email' in person ? '@|%(?:25){0,3}40' : digitsPattern(person.phone.slice(-TAIL_DIGITS)),
    isIn: (text) => spellingsOf(text).some((spelling) => candidatesOf(spelling).some(isContact)),
  };
}

/** The digits with what can stand between them, also encoded. */
const digitsPattern = (digits: string): string => [...digits].join('(?:[^0-9%]|%(?:25){0,3}2[0-9a-f]){0,3}');

/** The text as it is, and decoded once or more. */
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

const addressesIn = (text: string): string[] =>
  text
    .split(NOT_IN_ADDRESS)
    .filter((part) => part.includes('@'))
    .map((part) => part.replace(/^\.+|\.+$/g, ''));

const numbersIn = (text: string): string[] => text.match(NUMBER) ?? [];
