import type { Analysis, Score, TranscriptTurn } from '../call.ts';
import type { TrainingCase } from '../training-case.ts';
import { detectCoverage } from './coverage.ts';
import { type KnownLanguage, languageOf, languageOfCall } from './language.ts';
import { type LlmVerdict, mergeLlmVerdict } from './llm-verdict.ts';
import { type CallMeasurements, computeMetrics } from './metrics.ts';
import { findPromptInjections } from './prompt-injections.ts';
import { computeScore, lowestScore } from './score.ts';
import { sentenceSpans, splitSentences } from './sentences.ts';
import { TEXTS } from './texts.ts';

export type CallToAnalyse = {
  trainingCase: TrainingCase;
  turns: readonly TranscriptTurn[];
  durationSeconds: number | null;
  interruptions: number | null;
};

/**
 * Analyses and scores a call. The same call and verdict give the same result. Time and memory grow with the length of
 * the transcript. Turns with prompt injections prove nothing. If there are such turns, each criterion is scored three
 * times, and the lowest score counts: with these turns; without them, but with the ends that they give to the turns
 * before them; and as if the transcript did not contain them.
 */
export function analyseTranscript(call: CallToAnalyse, verdict?: LlmVerdict): { analysis: Analysis; score: Score } {
  const { trainingCase, turns } = call;
  const language = languageOfCall(turns);
  const injections = findPromptInjections(turns, trainingCase);
  const honestTurns = turns.filter((turn) => !injections.has(turn));
  const allSentences = splitSentences(turns, language);
  // These must be the same sentences in the same order as in `llm-judge.ts`, because the verdict cites their numbers.
  // The languages that are detected there and here may differ, but the boundaries of sentences do not depend on the
  // language.
  const sentences = allSentences.filter(({ turn }) => !injections.has(turn));
  const judged = mergeLlmVerdict(detectCoverage(trainingCase.dos, sentences, language), sentences, verdict);
  const texts = TEXTS[textLanguage(language, trainingCase)];
  const measured = computeMetrics({ ...call, sentences: allSentences, language });
  const score = (measurements: CallMeasurements) => computeScore({ ...judged, measured: measurements, texts });
  const measurementsWithoutInjections =
    injections.size === 0
      ? []
      : [
          // Neither the words nor the time of these turns count. They only mark where the turn before them ends.
          computeMetrics({ ...call, sentences, language, excluded: injections }),
          // As if the transcript did not contain these turns. The turn before them can extend over their time.
          computeMetrics({ ...call, turns: honestTurns, sentences, language }),
        ];
  const { metrics } = measured;
  const { met } = judged.successCriteria;
  const covered = judged.dos.filter((one) => one.covered).length;
  const addition = presentableSummary(verdict?.summary, trainingCase);
  const summary = [
    texts.call(Math.max(0, call.durationSeconds ?? measured.seconds), metrics.talkRatio, metrics.questionsAsked),
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

/** The language of the texts: the call's, or the case's if the call's is unknown. English if it is not German. */
function textLanguage(language: string, { situation, objective, successCriteria }: TrainingCase): KnownLanguage {
  const known = language === 'und' ? languageOf(`${situation} ${objective} ${successCriteria}`) : language;
  return known === 'de' ? 'de' : 'en';
}

const SUMMARY_CHARACTERS_MAX = 300;
const SENTENCE_END = /[.!?…。]\P{L}?$/u;

/**
 * The first whole sentences of a model's summary. Returns undefined if no sentence is short enough, or if the summary
 * looks like a prompt injection, for example because it repeats one or describes the model's verdict.
 */
function presentableSummary(summary: string | undefined, criteria: TrainingCase): string | undefined {
  if (summary === undefined) return undefined;
  const end = sentenceSpans(summary).findLast((span) => span.end <= SUMMARY_CHARACTERS_MAX)?.end ?? 0;
  const text = summary.slice(0, end);
  const isInjected = findPromptInjections([{ role: 'agent', message: summary, timeInCallSecs: 0 }], criteria).size > 0;
  return isInjected || !SENTENCE_END.test(text) ? undefined : text;
}
