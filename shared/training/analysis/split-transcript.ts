import type { TranscriptTurn } from '../call.ts';
import { languageOfCall } from './language.ts';
import { findPromptInjections, type JudgedParts } from './prompt-injections.ts';
import { type Sentence, splitSentences } from './sentences.ts';

export type SplitTranscript = {
  /** ISO 639-1, or `und` */
  language: string;
  /** The turns with prompt injections. */
  injections: ReadonlySet<TranscriptTurn>;
  sentences: Sentence[];
  /** The sentences of turns without prompt injections. A verdict cites them by their numbers in this list, from 1. */
  citable: Sentence[];
};

/**
 * Splits a transcript into sentences. For the same transcript and case, the sentences and their order must always be
 * the same, because verdicts cite sentences by their numbers.
 */
export function splitTranscript(turns: readonly TranscriptTurn[], trainingCase: JudgedParts): SplitTranscript {
  const language = languageOfCall(turns);
  const injections = findPromptInjections(turns, trainingCase);
  const sentences = splitSentences(turns, language);
  return { language, injections, sentences, citable: sentences.filter(({ turn }) => !injections.has(turn)) };
}
