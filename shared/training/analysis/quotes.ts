import type { Evidence, TranscriptTurn } from '../call.ts';
import { countWords, SENTENCE_CHARACTERS_MAX } from './words.ts';

type Searched = { turn: TranscriptTurn; text: string };

/** @property start where it begins in its turn's message, `end` where it ends */
export type Place = { turn: TranscriptTurn; start: number; end: number };

/** Finds where quotes stand. */
export type Quotes = (quote: string, wordsMin: number, role?: TranscriptTurn['role']) => Place | undefined;

/** What the transcript says there, cut to 300 characters, with its time. */
export const evidenceAt = ({ turn, start, end }: Place): Evidence => ({
  quote: cut(turn.message.slice(start, end)),
  timeInCallSecs: turn.timeInCallSecs,
});

const TYPOGRAPHIC: Record<string, string> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '’': "'",
  '‘': "'",
  '‚': "'",
};
const QUOTATION_MARK = /[“”„«»’‘‚]/g;
const IN_WORD = /[\p{L}\p{M}\p{N}]/u;

/** As quotes are compared: white space single, quotation marks straight, nothing else changed. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(QUOTATION_MARK, (mark) => TYPOGRAPHIC[mark] ?? mark);

/**
 * Looks quotes up in these turns. A quote counts when it stands word by word within one of them, whole words only, and
 * has enough of them.
 */
export function quotesIn(turns: readonly TranscriptTurn[]): Quotes {
  let searched: Searched[] | undefined;
  return (quote, wordsMin, role) => {
    const wanted = plain(quote);
    if (wanted.length > 4 * SENTENCE_CHARACTERS_MAX || countWords(wanted) < wordsMin) return undefined;
    searched ??= turns.map((turn) => ({ turn, text: plain(turn.message) }));
    for (const { turn, text } of searched) {
      if (role !== undefined && turn.role !== role) continue;
      const at = wholeWordsAt(text, wanted);
      if (at >= 0) return { turn, ...original(turn.message, at, wanted.length) };
    }
    return undefined;
  };
}

function wholeWordsAt(text: string, wanted: string): number {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const cutsBefore = IN_WORD.test(text[at - 1] ?? '') && IN_WORD.test(wanted[0] ?? '');
    const cutsAfter = IN_WORD.test(text[at + wanted.length] ?? '') && IN_WORD.test(wanted.at(-1) ?? '');
    if (!cutsBefore && !cutsAfter) return at;
  }
  return -1;
}

/** The place in the transcript that `plain` made `length` characters at `at` of. */
function original(message: string, at: number, length: number): { start: number; end: number } {
  const text = message.trimStart();
  const left = message.length - text.length;
  let start = -1;
  let plainAt = 0;
  let end = 0;
  for (const { index, 0: part } of text.matchAll(/\s+|\S/g)) {
    if (plainAt === at) start = index;
    plainAt += 1;
    end = index + part.length;
    if (plainAt === at + length) break;
  }
  return { start: left + start, end: left + end };
}

function cut(quote: string): string {
  if (quote.length <= SENTENCE_CHARACTERS_MAX) return quote;
  const space = quote.lastIndexOf(' ', SENTENCE_CHARACTERS_MAX);
  return quote.slice(0, space > 0 ? space : SENTENCE_CHARACTERS_MAX).replace(/[\uD800-\uDBFF]$/, '');
}
