/** Longer words are cut, so that no pattern looks at more. */
const WORD_CHARACTERS_MAX = 40;

/** The longest quote, and the longest text that counts as one sentence. */
const SENTENCE_CHARACTERS_MAX = 300;

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

/** Starts at the first of several marks and is bounded, so that matching stays linear. */
const SENTENCE_END = /(?<![.!?…])[.!?…]{1,20}["'”’“»)\]]{0,5}(?=\s)|[。！？]|\n/gu;
/** A full stop after these ends no sentence, nor after a single letter or an ordinal («am 5. Mai»). */
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{L}|\d{1,2}|dr|prof|hr|fr|nr|ca|bzw|ggf|usw|inkl|evtl|max|mind|mr|mrs|ms|vs|st)\.$/iu;
const LONGEST_ABBREVIATION = 8;
const WORD_SEARCH_CHARACTERS = 100;

/** The start and end of each sentence of a text. Longer sentences are cut between two words. */
export function sentenceSpans(text: string): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  let start = 0;
  const add = (end: number) => {
    for (; end - start > SENTENCE_CHARACTERS_MAX; ) {
      const cut = cutBefore(text, start, start + SENTENCE_CHARACTERS_MAX);
      spans.push(trimmed(text, start, cut));
      start = cut;
    }
    spans.push(trimmed(text, start, end));
    start = end;
  };
  for (const { index, 0: mark } of text.matchAll(SENTENCE_END)) {
    const end = index + mark.length;
    if (mark === '.' && ABBREVIATED.test(text.slice(Math.max(start, end - LONGEST_ABBREVIATION), end))) continue;
    add(end);
  }
  add(text.length);
  return spans.filter((span) => span.end > span.start);
}

/** The last word start before `end`, else `end` itself, but never within a surrogate pair. */
function cutBefore(text: string, start: number, end: number): number {
  for (let at = end; at > start && at > end - WORD_SEARCH_CHARACTERS; at--)
    if (/\s/.test(text[at - 1] ?? '')) return at;
  return /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end;
}

function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  const part = text.slice(start, end);
  const left = part.length - part.trimStart().length;
  return { start: start + left, end: start + Math.max(left, part.trimEnd().length) };
}
