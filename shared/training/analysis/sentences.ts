import type { TranscriptTurn } from '../call.ts';
import { isQuestion } from './questions.ts';
import { sentenceSpans, spaced, wordsOf } from './words.ts';

/** A sentence of either speaker. */
export type Sentence = {
  turn: TranscriptTurn;
  text: string;
  /** Its words in lower case, with a space before and after each. */
  words: string;
  wordCount: number;
  /** Only true for the trainee's sentences. */
  isQuestion: boolean;
};

/** The sentences of a call in order; those without a word are left out. @param language ISO 639-1, or `und` */
export function splitSentences(turns: readonly TranscriptTurn[], language: string): Sentence[] {
  return turns.flatMap((turn) =>
    sentenceSpans(turn.message).flatMap(({ start, end }) => {
      const text = turn.message.slice(start, end);
      const list = wordsOf(text);
      if (list.length === 0) return [];
      const words = spaced(list);
      const isAsked = turn.role === 'user' && isQuestion(text, words, language);
      return [{ turn, text, words, wordCount: list.length, isQuestion: isAsked }];
    }),
  );
}

export const isOfTrainee = ({ turn }: Sentence): boolean => turn.role === 'user';
