import type { Score } from '../call.ts';
import type { CoveredByRules } from './coverage.ts';
import type { Measured } from './metrics.ts';
import type { CriterionId, Texts } from './texts.ts';

/**
 * What each criterion is worth, 100 together, with and without a verdict on the success criteria. They are our own: more
 * than half is what the case asks for, the rest how the conversation was led. What proves the criteria met never costs
 * points: it brings as much as the others lose. Pace, interruptions and filler words are shown and not scored: times are
 * whole seconds, not every provider counts interruptions, and a listener makes use of a speaker's “uh” (`fillers.ts`).
 */
export const WEIGHTS: Record<'rules' | 'model', Partial<Record<CriterionId, number>>> = {
  rules: { dos: 60, talkRatio: 15, questionsAsked: 15, longestMonologueSecs: 10 },
  model: { dos: 45, successCriteria: 25, talkRatio: 12, questionsAsked: 10, longestMonologueSecs: 8 },
};

/**
 * Full points around 43 %, which Gong Labs found in the calls that sell best (talk-to-listen 43:57), the width being our
 * own; none from 85 %, or from 5 % down.
 */
const TALK_RATIO = { none: 0.05, from: 0.31, to: 0.55, noneAgain: 0.85 };
/**
 * A question for each minute that was spoken, our own measure, but no more than 11: Gong Labs found 11 to 14 in the best
 * discovery calls. At least 3, however short the call.
 */
const QUESTIONS = { secondsEach: 60, fewest: 3, most: 11 };
/** Our own; Gong Labs found that talking of one's own company for more than two minutes goes with fewer sales. */
const MONOLOGUE = { from: 60, to: 180 };
/** Our own: with less it was no conversation, and everything counts only in part. */
const CUSTOMER_TURNS_ENOUGH = 3;
/**
 * Our own: fewer words of the trainee say little of how a conversation is led. In steps, so that a sentence more rarely
 * brings a point by its length alone.
 */
const WORDS = { some: 40, enough: 80 };

export type ToScore = {
  dos: readonly CoveredByRules[];
  /** Null: nobody judged the success criteria. */
  met: boolean | null;
  measured: Measured;
  texts: Texts;
};

type Graded = { id: CriterionId; share: number; reason: string };

/** 0 to 100 by criteria whose points add up to it, each with its reason in a sentence. */
export function scoreOf({ dos, met, measured, texts }: ToScore): Score {
  const weights = WEIGHTS[met === null ? 'rules' : 'model'];
  const graded = [
    gradedDos(dos, measured, texts),
    ...(met === null
      ? []
      : [inPart({ id: 'successCriteria', share: met ? 1 : 0, reason: texts.met(met) }, measured, texts)]),
    ...gradedConduct(measured, texts),
  ];
  const criteria = graded.map(({ id, share, reason }) => {
    const max = weights[id] ?? 0;
    return { id, label: texts.labels[id], score: pointsOf(share, max), max, reason };
  });
  return { total: totalOf(criteria), criteria };
}

/** Full points only for a full share: a reason that tells what full points need must not stand beside them else. */
const pointsOf = (share: number, max: number): number =>
  share >= 1 ? max : Math.min(max - 1, Math.round(max * share));

/**
 * The first of scores by the same criteria, with the least points of each. Every reason keeps the figures of the first,
 * which are those of the call's metrics and summary.
 *
 * @param why follows the reason of a criterion that another score lowers
 */
export function lowest([first, ...others]: readonly [Score, ...Score[]], why: string): Score {
  const criteria = first.criteria.map((criterion, at) => {
    const score = Math.min(criterion.score, ...others.map((other) => other.criteria[at]?.score ?? criterion.score));
    return score < criterion.score ? { ...criterion, score, reason: `${criterion.reason} ${why}` } : criterion;
  });
  return { total: totalOf(criteria), criteria };
}

const totalOf = (criteria: Score['criteria']): number => criteria.reduce((sum, { score }) => sum + score, 0);

/** What rules can't tell and no judge proved is left out, so that it costs nothing; the others share its points. */
function gradedDos(dos: readonly CoveredByRules[], measured: Measured, texts: Texts): Graded {
  const counted = dos.filter(({ decidable }) => decidable);
  const covered = counted.filter((one) => one.covered).length;
  const proven = texts.dos({
    covered,
    of: counted.length,
    missing: counted.filter((one) => !one.covered).map(({ label }) => label),
    undecidable: dos.filter(({ decidable }) => !decidable).map(({ label }) => label),
  });
  const reason = measured.words === 0 ? `${proven} ${texts.nothingSaid.trainee}` : proven;
  return inPart({ id: 'dos', share: counted.length === 0 ? 0 : covered / counted.length, reason }, measured, texts);
}

function gradedConduct(measured: Measured, texts: Texts): Graded[] {
  const { talkRatio, questionsAsked, longestMonologueSecs } = measured.metrics;
  const enough = questionsEnough(measured.seconds);
  const conduct: Graded[] = [
    { id: 'talkRatio', share: listening(talkRatio), reason: texts.talkRatio(talkRatio, TALK_RATIO) },
    { id: 'questionsAsked', share: clamped(questionsAsked / enough), reason: texts.questions(questionsAsked, enough) },
    {
      id: 'longestMonologueSecs',
      share: clamped((MONOLOGUE.to - longestMonologueSecs) / (MONOLOGUE.to - MONOLOGUE.from)),
      reason: texts.monologue(longestMonologueSecs, MONOLOGUE),
    },
  ];
  return conduct.map((graded) => bySubstance(inPart(graded, measured, texts), measured, texts));
}

function listening(ratio: number): number {
  const { none, from, to, noneAgain } = TALK_RATIO;
  return clamped(Math.min((ratio - none) / (from - none), (noneAgain - ratio) / (noneAgain - to)));
}

function questionsEnough(seconds: number): number {
  const { secondsEach, fewest, most } = QUESTIONS;
  return Math.min(most, Math.max(fewest, Math.round(seconds / secondsEach)));
}

/** Counts by how much of a conversation it was. */
function inPart(graded: Graded, { customerTurns }: Measured, texts: Texts): Graded {
  if (customerTurns >= CUSTOMER_TURNS_ENOUGH) return graded;
  const share = customerTurns / CUSTOMER_TURNS_ENOUGH;
  const why = customerTurns === 0 ? texts.nothingSaid.customer : texts.fewCustomerTurns(customerTurns);
  return { ...graded, share: graded.share * share, reason: `${graded.reason} ${why}` };
}

function bySubstance(graded: Graded, { words }: Measured, texts: Texts): Graded {
  if (words >= WORDS.enough) return graded;
  const share = words >= WORDS.some ? 0.5 : 0;
  const why = words === 0 ? texts.nothingSaid.trainee : texts.fewWords(words, WORDS.some);
  return { ...graded, share: graded.share * share, reason: `${graded.reason} ${why}` };
}

const clamped = (share: number): number => Math.min(1, Math.max(0, share));
