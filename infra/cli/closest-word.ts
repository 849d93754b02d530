import { distance } from 'fastest-levenshtein';

/** Longer words are not compared. */
const WORD_CHARACTERS_MAX = 128;
/** Only so many known words are compared. */
const KNOWN_MAX = 500;
/** Share of letters that may differ. Two swapped letters count as two. */
const TYPO_SHARE_MAX = 0.4;

/** The known word closest to a misspelt one, for "did you mean"; undefined when none is close. */
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

/** `max_bytes`, `maxbytes` and `maxBytes` count as the same word. */
const plain = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, '');
