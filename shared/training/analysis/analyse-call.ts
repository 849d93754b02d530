import type { Analysis, Score, TranscriptTurn } from '../call.ts';
import type { TrainingCase } from '../training-case.ts';
import { appealsIn, type Judged } from './appeals.ts';
import { coverageByRules } from './coverage.ts';
import { judged } from './judged.ts';
import type { Judgement } from './judgement.ts';
import { type KnownLanguage, languageOf, languageOfCall } from './language.ts';
import { type Measured, measure } from './metrics.ts';
import { lowest, scoreOf } from './score.ts';
import { type Sentence, traineeSentences } from './sentences.ts';
import { TEXTS } from './texts.ts';
import { sentenceSpans } from './words.ts';

export type CallToAnalyse = {
  trainingCase: TrainingCase;
  turns: readonly TranscriptTurn[];
  durationSeconds: number | null;
  interruptions: number | null;
};

/** @property sentences the trainee's, from the turns that are no appeals */
type Heard = {
  honest: readonly TranscriptTurn[];
  appeals: ReadonlySet<TranscriptTurn>;
  sentences: readonly Sentence[];
  language: string;
};

const JUDGE_CHARACTERS_MAX = 300;
const SENTENCE_END = /[.!?…。]\P{L}?$/u;

/**
 * What a call shows and what it is worth: metrics, which dos its quotes prove, and a score whose criteria add up to it.
 * The same call and judgement give the same result; time and memory grow with the transcript's length alone.
 *
 * Turns that speak to whoever judges prove nothing, and each criterion has the smallest of its points with and without
 * them: they can only lower a score.
 *
 * @param judgement a model's; believed as far as its quotes stand in the transcript (see `judged.ts`)
 */
export function analyseCall(call: CallToAnalyse, judgement?: Judgement): { analysis: Analysis; score: Score } {
  const { trainingCase, turns } = call;
  const language = languageOfCall(turns);
  const appeals = appealsIn(turns, trainingCase);
  const honest = turns.filter((turn) => !appeals.has(turn));
  const sentences = traineeSentences(honest, language);
  const found = coverageByRules(trainingCase.dos, sentences, language);
  const { dos, successCriteria, judgedBy, summary } = judged(
    found,
    { honest, excluded: [...appeals], sentences, criteria: trainingCase.successCriteria, language },
    judgement,
  );
  const texts = TEXTS[textLanguage(language, trainingCase)];
  const runs = measurements(call, { honest, appeals, sentences, language });
  const scored = (measured: Measured) => scoreOf({ dos, met: successCriteria.met, measured, texts });
  const [asHeld, ...withoutAppeals] = runs;
  const score = lowest([scored(asHeld), ...withoutAppeals.map(scored)], texts.loweredByAppeals);
  const { metrics, seconds } = asHeld;
  const figures = {
    ...{ seconds: Math.max(0, call.durationSeconds ?? seconds), talkRatio: metrics.talkRatio },
    ...{ questions: metrics.questionsAsked, covered: dos.filter(({ covered }) => covered).length, of: dos.length },
    ...{ undecidable: dos.filter(({ decidable }) => !decidable).length, appeals: appeals.size },
    ...{ judgedBy, met: successCriteria.met, judge: judgeSays(summary) },
  };
  return {
    analysis: {
      summary: texts.summary(figures),
      language,
      dos: dos.map(({ id, label, covered, evidence }) => ({ id, label, covered, evidence })),
      successCriteria,
      metrics,
      judgedBy,
    },
    score,
  };
}

/**
 * The turns that a judge may see: all but those that speak to it instead of to the customer.
 *
 * @param judged with it, also without those that recite what the call is judged by
 */
export function turnsForJudge(turns: readonly TranscriptTurn[], judged?: Judged): TranscriptTurn[] {
  const appeals = appealsIn(turns, judged);
  return turns.filter((turn) => !appeals.has(turn));
}

/** As it was; then without its appeals, in the time that it took with them, and as if they had taken none. */
function measurements(
  { turns, durationSeconds, interruptions }: CallToAnalyse,
  { honest, appeals, sentences, language }: Heard,
): [Measured, ...Measured[]] {
  const measured = (
    said: readonly TranscriptTurn[],
    heard: readonly Sentence[],
    without: ReadonlySet<TranscriptTurn>,
  ) => measure({ turns: said, sentences: heard, without, language, durationSeconds, interruptions });
  if (appeals.size === 0) return [measured(turns, sentences, appeals)];
  return [
    measured(turns, traineeSentences(turns, language), new Set()),
    measured(turns, sentences, appeals),
    measured(honest, sentences, new Set()),
  ];
}

/** The call's; where it can't be told, the case's. */
function textLanguage(language: string, { situation, objective, successCriteria }: TrainingCase): KnownLanguage {
  const known = language === 'und' ? languageOf(`${situation} ${objective} ${successCriteria}`) : language;
  return known === 'de' ? 'de' : 'en';
}

/** Its first sentences, unless somebody made it speak of its own verdict. */
function judgeSays(summary: string | undefined): string | undefined {
  if (summary === undefined) return undefined;
  const isAppeal = appealsIn([{ role: 'user', message: summary, timeInCallSecs: 0 }]).size > 0;
  const end = sentenceSpans(summary).findLast((span) => span.end <= JUDGE_CHARACTERS_MAX)?.end;
  const said = summary.slice(0, end ?? 0);
  return isAppeal || !SENTENCE_END.test(said) ? undefined : said;
}
