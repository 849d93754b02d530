import type { Analysis, Score } from '../call.ts';
import type { CallMeasurements } from './metrics.ts';
import type { FallingScale, Texts } from './texts.ts';

type CriterionId = keyof Texts['labels'];

/**
 * The maximum points of each criterion, 100 together. The values are our own choice. Without a model, the dos and the
 * success criteria bring no points, because a mention of a do proves nothing. If the provider does not count
 * interruptions, their points are added to `talkRatio`. Pace brings no points, because a transcript has times in whole
 * seconds only. Filler words bring none, because an “uh” helps listeners.
 */
export const WEIGHTS: Record<Analysis['judgedBy'], Record<CriterionId, number>> = {
  rules: { dos: 0, successCriteria: 0, talkRatio: 35, questionsAsked: 35, longestMonologueSecs: 15, interruptions: 15 },
  model: { dos: 45, successCriteria: 25, talkRatio: 10, questionsAsked: 10, longestMonologueSecs: 5, interruptions: 5 },
};

/**
 * A talk ratio from `fullFrom` to `fullUpTo` gets full points. A talk ratio up to `noneUpTo`, or from `noneFrom` on,
 * gets no points. The best sales calls have a talk-to-listen ratio of 43 % (Gong Labs). The limits around it are our
 * own choice.
 */
const TALK_RATIO = { noneUpTo: 0.05, fullFrom: 0.31, fullUpTo: 0.55, noneFrom: 0.85 };
/**
 * Full points require one question per minute of speaking time. At least 3 questions are required, and 11 are always
 * enough. These limits are our own choice. Gong Labs found 11 to 14 questions in the best discovery calls.
 */
const QUESTIONS = { secondsEach: 60, fewest: 3, most: 11 };
/**
 * Full points up to `fullUpTo` seconds, no points from `noneFrom` seconds on. The limits are our own choice. Gong Labs
 * found that pitches of more than two minutes go with fewer sales.
 */
const MONOLOGUE: FallingScale = { fullUpTo: 60, noneFrom: 180 };
/**
 * One interruption per five minutes of speaking time gets full points. In a shorter call, one interruption gets full
 * points, too. Three times as many interruptions get no points. These limits are our own choice.
 */
const INTERRUPTIONS = { secondsEach: 300, noPointsFactor: 3 };
/**
 * If the customer has fewer turns than this, the call is hardly a conversation. Each criterion then brings only a
 * proportional part of its points, and none if the customer said nothing.
 */
const CUSTOMER_TURNS_ENOUGH = 3;
/**
 * If the trainee says fewer words than `enough`, the measured criteria bring half of their points. If the trainee says
 * fewer words than `some`, these criteria bring no points. There are only two steps, so that one more sentence seldom
 * changes the points.
 */
const WORDS = { some: 40, enough: 80 };

type ScoreInput = Pick<Analysis, 'dos' | 'successCriteria' | 'judgedBy'> & {
  measured: CallMeasurements;
  texts: Texts;
};

type Graded = { id: CriterionId; share: number; reason: string };

/**
 * Computes a score of 0 to 100 points, which is the sum of the points of the criteria. Each criterion has a reason in
 * one or more sentences.
 */
export function computeScore({ measured, texts, ...judged }: ScoreInput): Score {
  const graded = [
    ...gradeVerdict(judged, texts),
    ...gradeConduct(measured, texts).map((one) => scaleByWords(one, measured, texts)),
  ].map((one) => scaleByCustomerTurns(one, measured, texts));
  const weights = { ...WEIGHTS[judged.judgedBy] };
  if (measured.metrics.interruptions === null) {
    weights.talkRatio += weights.interruptions;
    weights.interruptions = 0;
  }
  const criteria = graded
    .map(({ id, share, reason }) => {
      const max = weights[id];
      return { id, label: texts.labels[id], score: pointsOf(share, max), max, reason };
    })
    .filter(({ max }) => max > 0);
  return { total: totalOf(criteria), criteria };
}

/**
 * Rounds the points. A share below 1 never gets full points, because it does not meet the requirement that the
 * criterion's reason states.
 */
const pointsOf = (share: number, max: number): number =>
  share >= 1 ? max : Math.min(max - 1, Math.round(max * share));

const totalOf = (criteria: Score['criteria']): number => criteria.reduce((sum, { score }) => sum + score, 0);

/**
 * Returns a copy of the first score. Each criterion gets the lowest points that it has in any of the scores.
 *
 * @param why is appended to the reason of a lowered criterion
 */
export function lowestScore([first, ...others]: readonly [Score, ...Score[]], why: string): Score {
  const criteria = first.criteria.map((criterion, at) => {
    const score = Math.min(criterion.score, ...others.map((other) => other.criteria[at]?.score ?? criterion.score));
    return score < criterion.score ? { ...criterion, score, reason: `${criterion.reason} ${why}` } : criterion;
  });
  return { total: totalOf(criteria), criteria };
}

/**
 * Grades the dos and the success criteria. Without a model, both have the weight 0, so `computeScore` leaves them out.
 */
function gradeVerdict({ dos, successCriteria }: Pick<Analysis, 'dos' | 'successCriteria'>, texts: Texts): Graded[] {
  const missing = dos.filter(({ covered }) => !covered).map(({ label }) => texts.quote(label));
  const covered = dos.length - missing.length;
  const proven = texts.proven(covered, dos.length);
  return [
    {
      id: 'dos',
      share: covered / Math.max(1, dos.length),
      reason: missing.length === 0 ? proven : `${proven} ${texts.notProven(missing.join(', '))}`,
    },
    {
      id: 'successCriteria',
      share: successCriteria.met ? 1 : 0,
      reason: successCriteria.met ? texts.met : texts.notMet,
    },
  ];
}

function gradeConduct({ metrics, speakingSeconds }: CallMeasurements, texts: Texts): Graded[] {
  const { talkRatio, questionsAsked, longestMonologueSecs: monologue } = metrics;
  const { noneUpTo, fullFrom } = TALK_RATIO;
  const risingShare = clamp((talkRatio - noneUpTo) / (fullFrom - noneUpTo));
  const talkRatioShare = Math.min(risingShare, fallingShare(talkRatio, TALK_RATIO));
  const enough = Math.min(
    QUESTIONS.most,
    Math.max(QUESTIONS.fewest, Math.round(speakingSeconds / QUESTIONS.secondsEach)),
  );
  const fullUpTo = Math.max(1, Math.round(speakingSeconds / INTERRUPTIONS.secondsEach));
  const limits = { fullUpTo, noneFrom: INTERRUPTIONS.noPointsFactor * fullUpTo };
  const interruptions = metrics.interruptions ?? 0;
  return [
    { id: 'talkRatio', share: talkRatioShare, reason: texts.talkRatio(talkRatio, TALK_RATIO) },
    { id: 'questionsAsked', share: clamp(questionsAsked / enough), reason: texts.questions(questionsAsked, enough) },
    {
      id: 'longestMonologueSecs',
      share: fallingShare(monologue, MONOLOGUE),
      reason: texts.monologue(monologue, MONOLOGUE),
    },
    {
      id: 'interruptions',
      share: fallingShare(interruptions, limits),
      reason: texts.interruptions(interruptions, limits),
    },
  ];
}

function scaleByCustomerTurns(graded: Graded, { customerTurns }: CallMeasurements, texts: Texts): Graded {
  if (customerTurns >= CUSTOMER_TURNS_ENOUGH) return graded;
  const why = customerTurns === 0 ? texts.customerSilent : texts.fewCustomerTurns(customerTurns);
  return {
    ...graded,
    share: (graded.share * customerTurns) / CUSTOMER_TURNS_ENOUGH,
    reason: `${graded.reason} ${why}`,
  };
}

function scaleByWords(graded: Graded, { traineeWords }: CallMeasurements, texts: Texts): Graded {
  if (traineeWords >= WORDS.enough) return graded;
  const isTooFew = traineeWords < WORDS.some;
  const why = isTooFew ? texts.noneForFewWords(traineeWords) : texts.halfForFewWords(traineeWords);
  const reason = `${graded.reason} ${traineeWords === 0 ? texts.traineeSilent : why}`;
  return { ...graded, share: isTooFew ? 0 : graded.share / 2, reason };
}

const clamp = (share: number): number => Math.min(1, Math.max(0, share));
/** Returns 1 up to `fullUpTo`, 0 from `noneFrom` on, and linear between them. */
const fallingShare = (value: number, { fullUpTo, noneFrom }: FallingScale): number =>
  clamp((noneFrom - value) / (noneFrom - fullUpTo));
