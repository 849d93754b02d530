import type { Analysis, Score, TranscriptTurn } from '../call.ts';
import type { TrainingCase } from '../training-case.ts';
import { findMentions } from './coverage.ts';
import { type KnownLanguage, languageOf } from './language.ts';
import { type LlmVerdict, mergeLlmVerdict } from './llm-verdict.ts';
import { type CallMeasurements, computeMetrics } from './metrics.ts';
import { findPromptInjections } from './prompt-injections.ts';
import { computeScore, lowestScore } from './score.ts';
import { sentenceSpans } from './sentences.ts';
import { type SplitTranscript, splitTranscript } from './split-transcript.ts';
import { TEXTS } from './texts.ts';

export type CallToAnalyse = {
  trainingCase: TrainingCase;
  turns: readonly TranscriptTurn[];
  durationSeconds: number | null;
  interruptions: number | null;
};

/**
 * Analyses and scores a call. The same call and verdict give the same result. Turns with prompt injections are no
 * evidence. If a call has such turns, it is scored three times: with these turns, with only their start times, and
 * without these turns. Each criterion gets the lowest of its three scores.
 *
 * @param verdict cites sentences by their numbers in `citable` of `split`
 * @param split given by a caller that has already split the transcript, because splitting takes half of the time of
 *   this function
 */
export function analyseTranscript(
  call: CallToAnalyse,
  verdict?: LlmVerdict,
  split: SplitTranscript = splitTranscript(call.turns, call.trainingCase),
): { analysis: Analysis; score: Score } {
  const { trainingCase, turns } = call;
  const { language, injections, sentences, citable } = split;
  const turnsWithoutInjections = turns.filter((turn) => !injections.has(turn));
  const judged = mergeLlmVerdict(findMentions(trainingCase.dos, citable, language), citable, verdict);
  const texts = TEXTS[textLanguage(language, trainingCase)];
  const measured = computeMetrics({ ...call, sentences, language });
  const score = (measurements: CallMeasurements) => computeScore({ ...judged, measured: measurements, texts });
  const measurementsWithoutInjections =
    injections.size === 0
      ? []
      : [
          // Uses only the start times of turns with injections: the turn before them ends there.
          computeMetrics({ ...call, sentences: citable, language, excluded: injections }),
          // Uses nothing of turns with injections. The turn before them can then last longer.
          computeMetrics({ ...call, turns: turnsWithoutInjections, sentences: citable, language }),
        ];
  const { metrics } = measured;
  const { met } = judged.successCriteria;
  // Number of proven dos if a model judged the call, otherwise of mentioned dos. `met` is null without a model.
  const covered = judged.dos.filter((one) => one.covered).length;
  const addition = presentableSummary(verdict?.summary, trainingCase);
  const summary = [
    texts.call(
      Math.max(0, call.durationSeconds ?? measured.speakingSeconds),
      metrics.talkRatio,
      metrics.questionsAsked,
    ),
    met === null ? texts.mentioned(covered, judged.dos.length) : texts.proven(covered, judged.dos.length),
    injections.size > 0 && texts.injections(injections.size),
    met === null ? texts.provisional : texts.judged(met),
    addition !== undefined && texts.addition(texts.quote(addition)),
  ];
  return {
    analysis: { summary: summary.filter(Boolean).join(' '), language, metrics, ...judged },
    score: lowestScore([score(measured), ...measurementsWithoutInjections.map(score)], texts.loweredByInjections),
  };
}

/**
 * Returns the language in which the summary and the reasons of the score are written: German for a German call,
 * otherwise English. If the language of the call is unknown, the language of the case decides.
 */
function textLanguage(language: string, { situation, objective, successCriteria }: TrainingCase): KnownLanguage {
  const known = language === 'und' ? languageOf(`${situation} ${objective} ${successCriteria}`) : language;
  return known === 'de' ? 'de' : 'en';
}

const SUMMARY_CHARACTERS_MAX = 300;
const SENTENCE_END = /[.!?…。]\P{L}?$/u;

/**
 * Cuts a model's summary after the last end mark of a sentence within `SUMMARY_CHARACTERS_MAX`. Returns undefined if
 * there is no such end mark, or if the whole summary looks like a prompt injection. A summary that quotes an injection
 * or describes the verdict looks like one.
 */
function presentableSummary(summary: string | undefined, trainingCase: TrainingCase): string | undefined {
  if (summary === undefined) return undefined;
  const wholeSentences = sentenceSpans(summary)
    .map(({ end }) => summary.slice(0, end))
    .findLast((text) => text.length <= SUMMARY_CHARACTERS_MAX && SENTENCE_END.test(text));
  const isInjected =
    findPromptInjections([{ role: 'agent', message: summary, timeInCallSecs: 0 }], trainingCase).size > 0;
  return isInjected ? undefined : wholeSentences;
}
