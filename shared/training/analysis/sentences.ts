import type { TranscriptTurn } from '../call.ts';
import { isQuestion } from './questions.ts';
import { spaced, wordsOf } from './words.ts';

export type Sentence = {
  turn: TranscriptTurn;
  text: string;
  /** The words of the sentence in lower case, separated by spaces, with a space at the start and at the end. */
  wording: string;
  wordCount: number;
  /** False for all sentences of the customer. */
  isQuestion: boolean;
};

/** The sentences of a call in order, except those without a word. @param language ISO 639-1, or `und` */
export function splitSentences(turns: readonly TranscriptTurn[], language: string): Sentence[] {
  return turns.flatMap((turn) =>
    sentenceSpans(turn.message).flatMap(({ start, end }) => {
      const text = turn.message.slice(start, end);
      const list = wordsOf(text);
      if (list.length === 0) return [];
      const wording = spaced(list);
      const isAsked = turn.role === 'user' && isQuestion(text, wording, language);
      return [{ turn, text, wording, wordCount: list.length, isQuestion: isAsked }];
    }),
  );
}

export const isOfTrainee = ({ turn }: Sentence): boolean => turn.role === 'user';

/** Maximum length of a sentence, and therefore of a quote. A longer sentence is split into several. */
const SENTENCE_CHARACTERS_MAX = 300;
/**
 * Matches end marks, at most 20 in a row. A match begins only at the first mark of a sequence. Both limits make the
 * time for matching linear.
 */
const SENTENCE_END = /(?<![.!?…])[.!?…]{1,20}["'”’“»)\]]{0,5}(?=\s)|[。！？]|\n/gu;
/** Texts whose full stop does not end a sentence: abbreviations, single letters and ordinals («am 5. Mai»). */
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{L}|\d{1,2}|dr|prof|hr|fr|nr|ca|bzw|ggf|usw|inkl|evtl|max|mind|mr|mrs|ms|vs|st)\.$/iu;
const LONGEST_ABBREVIATION = 8;
const WORD_SEARCH_CHARACTERS = 100;

/**
 * Returns the start (inclusive) and the end (exclusive) of each sentence of a text. Splits a sentence that is too long
 * into several, if possible between two words.
 */
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

/**
 * Returns the last start of a word at or before `end`. If there is none nearby, returns `end`, or `end - 1` if `end` is
 * within a surrogate pair.
 */
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
