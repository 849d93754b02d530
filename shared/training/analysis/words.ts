/** Longer words are cut, so that patterns need not search long words. */
const WORD_CHARACTERS_MAX = 40;

const WORD = /[\p{L}\p{M}\p{N}]+|[€$£%]/gu;
const SPOKEN_WORD = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED_LETTERS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const LETTERS_PER_UNSPACED_WORD = 2;

/** The words of a text in lower case. `€`, `$`, `£` and `%` are words, too. */
export function wordsOf(text: string): string[] {
  return (text.normalize('NFC').toLowerCase().match(WORD) ?? []).map((word) => word.slice(0, WORD_CHARACTERS_MAX));
}

/** Joins words with a space before and after each, so that patterns can match whole words. */
export const spaced = (words: readonly string[]): string => ` ${words.join(' ')} `;

/**
 * Counts spoken words. In scripts without spaces, every two letters count as one word, which is our own approximation.
 */
export function countWords(text: string): number {
  const unspaced = text.match(UNSPACED_LETTERS)?.length ?? 0;
  const rest = unspaced === 0 ? text : text.replace(UNSPACED_LETTERS, ' ');
  return (rest.match(SPOKEN_WORD)?.length ?? 0) + Math.ceil(unspaced / LETTERS_PER_UNSPACED_WORD);
}

/** Makes a regular expression from a pattern of several lines, without the line breaks and the indentation. */
export const multilineRegExp = (pattern: string, flags: string): RegExp =>
  new RegExp(pattern.replaceAll(/\n\s*/g, ''), flags);
