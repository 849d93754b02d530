import { distance } from 'fastest-levenshtein';

/** Maximum length of a word that is compared. */
const WORD_CHARACTERS_MAX = 128;
/** Maximum number of known words that are compared. */
const KNOWN_MAX = 500;
/** Maximum edit distance, as a share of the known word's length. Two swapped letters are two edits. */
const TYPO_SHARE_MAX = 0.4;

/** Returns the known word that is closest to a misspelt word, for "did you mean"; undefined if none is close. */
export function closestWord(word: string, known: Iterable<string>): string | undefined {
  if (word.length > WORD_CHARACTERS_MAX) return undefined;
  let found: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const one of [...known].slice(0, KNOWN_MAX)) {
    if (one.length > WORD_CHARACTERS_MAX) continue;
    const edits = distance(plain(word), plain(one));
    if (edits < least && edits <= TYPO_SHARE_MAX * one.length) [found, least] = [one, edits];
  }
  return found;
}

/** Makes different spellings equal, such as `max_bytes`, `maxbytes` and `maxBytes`. */
const plain = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, '');
