/** Longer words are cut, so that no pattern looks at more. */
const WORD_CHARACTERS_MAX = 40;

const WORD = /[\p{L}\p{M}\p{N}]+|[€$£%]/gu;
const SPOKEN_WORD = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED_LETTERS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const LETTERS_PER_UNSPACED_WORD = 2;

/** The words of a text in lower case, currency and percent signs among them. */
export function wordsOf(text: string): string[] {
  return (text.normalize('NFC').toLowerCase().match(WORD) ?? []).map((word) => word.slice(0, WORD_CHARACTERS_MAX));
}

/** A space before and after each word, as patterns expect them. */
export const spaced = (words: readonly string[]): string => ` ${words.join(' ')} `;

/** Counts spoken words. Scripts without spaces count one word per two letters, an own approximation. */
export function countWords(text: string): number {
  const unspaced = text.match(UNSPACED_LETTERS)?.length ?? 0;
  const rest = unspaced === 0 ? text : text.replace(UNSPACED_LETTERS, ' ');
  return (rest.match(SPOKEN_WORD)?.length ?? 0) + Math.ceil(unspaced / LETTERS_PER_UNSPACED_WORD);
}

/** A regular expression from a pattern of several lines: line breaks and indentation are dropped. */
export const multilineRegExp = (pattern: string, flags: string): RegExp =>
  new RegExp(pattern.replaceAll(/\n\s*/g, ''), flags);
