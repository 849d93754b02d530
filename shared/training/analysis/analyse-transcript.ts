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
 * Analyses and scores a call. The same call and verdict give the same result; time and memory grow with the length of the
 * transcript. Turns with prompt injections prove nothing. With injections, each criterion is scored three times: with those
 * turns; without them, but with their time; without both. The lowest score counts.
 */
export function analyseTranscript(call: CallToAnalyse, verdict?: LlmVerdict): { analysis: Analysis; score: Score } {
  const { trainingCase, turns } = call;
  const language = languageOfCall(turns);
  const injections = findPromptInjections(turns, trainingCase);
  const honestTurns = turns.filter((turn) => !injections.has(turn));
  const allSentences = splitSentences(turns, language);
  // The same sentences in the same order as in `llm-judge.ts`: the verdict cites their numbers. The languages may differ,
  // but the boundaries of sentences don't depend on them.
  const sentences = allSentences.filter(({ turn }) => !injections.has(turn));
  const judged = mergeLlmVerdict(detectCoverage(trainingCase.dos, sentences, language), sentences, verdict);
  const texts = TEXTS[textLanguage(language, trainingCase)];
  const measured = computeMetrics({ ...call, sentences: allSentences, language });
  const score = (measurements: CallMeasurements) => computeScore({ ...judged, measured: measurements, texts });
  const measurementsWithoutInjections =
    injections.size === 0
      ? []
      : [
          // Without their words, but with their time.
          computeMetrics({ ...call, sentences, language, excluded: injections }),
          // Without their words and their time.
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

/** The call's language; where that is unknown, the case's. */
function textLanguage(language: string, { situation, objective, successCriteria }: TrainingCase): KnownLanguage {
  const known = language === 'und' ? languageOf(`${situation} ${objective} ${successCriteria}`) : language;
  return known === 'de' ? 'de' : 'en';
}

const SUMMARY_CHARACTERS_MAX = 300;
const SENTENCE_END = /[.!?…。]\P{L}?$/u;

/** The first whole sentences of a model's summary, unless it repeats an injection or speaks of its own verdict. */
function presentableSummary(summary: string | undefined, criteria: TrainingCase): string | undefined {
  if (summary === undefined) return undefined;
  const end = sentenceSpans(summary).findLast((span) => span.end <= SUMMARY_CHARACTERS_MAX)?.end ?? 0;
  const text = summary.slice(0, end);
  const isInjected = findPromptInjections([{ role: 'agent', message: summary, timeInCallSecs: 0 }], criteria).size > 0;
  return isInjected || !SENTENCE_END.test(text) ? undefined : text;
}
