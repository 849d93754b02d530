import type { TranscriptTurn } from '../call.ts';
import { isAsked } from './questions.ts';
import { sentenceSpans, spaced, wordsOf } from './words.ts';

/** What the trainee said, sentence by sentence. */
export type Sentence = {
  turn: TranscriptTurn;
  start: number;
  end: number;
  /** Its spaced words, as phrases look at them. */
  words: string;
  wordCount: number;
  /** A real question, which a tag («…, oder?») does not make it. */
  asked: boolean;
  /** Whether the sentence before it is of the same turn. */
  follows: boolean;
};

/** The trainee's sentences in order. @param language ISO 639-1 of the call, or `und` */
export function traineeSentences(turns: readonly TranscriptTurn[], language: string): Sentence[] {
  const sentences: Sentence[] = [];
  for (const turn of turns) {
    if (turn.role !== 'user') continue;
    let follows = false;
    for (const { start, end } of sentenceSpans(turn.message)) {
      const said = turn.message.slice(start, end);
      const list = wordsOf(said);
      if (list.length === 0) continue;
      const words = spaced(list);
      sentences.push({
        turn,
        start,
        end,
        words,
        wordCount: list.length,
        asked: isAsked(said, words, language),
        follows,
      });
      follows = true;
    }
  }
  return sentences;
}
