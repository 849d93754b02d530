/** Longer words are cut for comparing: nobody says one, and no pattern has to look at more. */
const WORD_CHARACTERS_MAX = 40;

/** So long is what is quoted, and what is looked at as one sentence, at most. */
export const SENTENCE_CHARACTERS_MAX = 300;

const WORD = /[\p{L}\p{M}\p{N}]+|[€$£%]/gu;
const SPOKEN_WORD = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED_LETTERS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const LETTERS_PER_UNSPACED_WORD = 2;

/** The words of a text in lower case, currency and percent signs among them. */
export function wordsOf(text: string): string[] {
  return (text.normalize('NFC').toLowerCase().match(WORD) ?? []).map((word) => word.slice(0, WORD_CHARACTERS_MAX));
}

/** As phrases look at them: a space before and after each word. */
export const spaced = (words: readonly string[]): string => ` ${words.join(' ')} `;

/**
 * How many words were said. Scripts that write no spaces count a word for every two letters, which is our own
 * approximation; what has neither letters nor digits was not said.
 */
export function countWords(text: string): number {
  const unspaced = text.match(UNSPACED_LETTERS)?.length ?? 0;
  const rest = unspaced === 0 ? text : text.replace(UNSPACED_LETTERS, ' ');
  return (rest.match(SPOKEN_WORD)?.length ?? 0) + Math.ceil(unspaced / LETTERS_PER_UNSPACED_WORD);
}

/** A run of marks is looked at from its first one only, and no further than a sentence could end. */
const SENTENCE_END = /(?<![.!?…])[.!?…]{1,20}["'”’“»)\]]{0,5}(?=\s)|[。！？]|\n/gu;
/** After these a full stop ends no sentence; neither after a single letter or an ordinal («am 5. Mai»). */
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{L}|\d{1,2}|dr|prof|hr|fr|nr|ca|bzw|ggf|usw|inkl|evtl|max|mind|mr|mrs|ms|vs|st)\.$/iu;
const LONGEST_ABBREVIATION = 8;
const WORD_SEARCH_CHARACTERS = 100;

/** Where the sentences of a text begin and end, longer ones cut between two words. */
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

/** The last place before `end` where a word begins; without one, `end` itself, but never amid a character. */
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
