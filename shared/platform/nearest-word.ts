import { distance } from 'fastest-levenshtein';

/** A longer word is no typo of a shorter one. */
const WORD_CHARACTERS_MAX = 128;
/** So many known words are compared, however many there are. */
const KNOWN_MAX = 500;
/** A guess that differs in more of its letters is none. Two that are swapped count as two. */
const TYPO_SHARE_MAX = 0.4;

/** The known word that a person most likely meant. */
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

/** `max_bytes`, `maxbytes` and `maxBytes` are one word to whoever wrote them. */
const plain = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, '');
