import type { CallMetrics, TranscriptTurn } from '../call.ts';
import { countFillers } from './fillers.ts';
import type { Sentence } from './sentences.ts';
import { type Spoken, spokenTurns } from './speaking-time.ts';

/** Shorter turns tell nothing of a pace: the pause around them is longer than they are. */
const PACE_WORDS_MIN = 10;

export type Measured = {
  metrics: CallMetrics;
  /** Of the trainee, each sentence once. */
  words: number;
  /** What the customer said, each wording once. */
  customerTurns: number;
  /** Of both together. */
  seconds: number;
};

export type ToMeasure = {
  turns: readonly TranscriptTurn[];
  /** Turns that are not counted and took their time all the same. */
  without: ReadonlySet<TranscriptTurn>;
  /** Of the trainee, from the turns that are counted. */
  sentences: readonly Sentence[];
  language: string;
  durationSeconds: number | null;
  interruptions: number | null;
};

/**
 * - `talkRatio`: the trainee's share of both speaking times (see `speaking-time.ts`), 0 to 1; what Gong Labs calls
 *   talk-to-listen ratio. 0 when nobody spoke.
 * - `longestMonologueSecs`: the trainee's longest speaking time without a word of the customer in between.
 * - `questionsAsked`: the trainee's real questions (see `questions.ts`), the same words counted once.
 * - `turns`: how often either of the two said something.
 * - `wordsPerMinute`: the trainee's, see `pace`.
 * - `interruptions`: as the voice provider counts them, or null.
 * - `fillerWords`: the trainee's, see `fillers.ts`.
 */
export function measure(call: ToMeasure): Measured {
  const { sentences, language, durationSeconds } = call;
  const spoken = spokenTurns(call.turns, durationSeconds).filter(({ turn }) => !call.without.has(turn));
  const trainee = spoken.filter(({ turn }) => turn.role === 'user');
  const customer = spoken.filter(({ turn }) => turn.role === 'agent');
  const seconds = sum(spoken.map((turn) => turn.seconds));
  const own = sum(trainee.map((turn) => turn.seconds));
  return {
    words: sum([...new Map(sentences.map(({ words, wordCount }) => [words, wordCount])).values()]),
    customerTurns: new Set(customer.map(({ turn }) => turn.message.trim())).size,
    seconds,
    metrics: {
      talkRatio: seconds === 0 ? 0 : Math.min(1, Math.round((own / seconds) * 100) / 100),
      longestMonologueSecs: Math.round(longestMonologue(spoken)),
      questionsAsked: new Set(sentences.filter(({ asked }) => asked).map(({ words }) => words)).size,
      turns: spoken.length,
      wordsPerMinute: Math.round(pace(trainee, spoken, durationSeconds)),
      interruptions: call.interruptions,
      fillerWords: sum(trainee.map(({ turn }) => countFillers(turn.message, language))),
    },
  };
}

function longestMonologue(spoken: readonly Spoken[]): number {
  let longest = 0;
  let running = 0;
  for (const { turn, seconds } of spoken) {
    running = turn.role === 'user' ? running + seconds : 0;
    longest = Math.max(longest, running);
  }
  return longest;
}

/**
 * Words a minute of the trainee's speaking time, over turns of at least ten words whose end is known, else over all of
 * those. (About 150 is usual in conversational English, says the National Center for Voice and Speech.) Where no turn's
 * end is known: both speakers' words by the call's duration. 0 where that is unknown too, or nothing was said.
 */
function pace(trainee: readonly Spoken[], all: readonly Spoken[], durationSeconds: number | null): number {
  const timed = trainee.filter(({ isTimed }) => isTimed);
  const long = timed.filter(({ words }) => words >= PACE_WORDS_MIN);
  const basis = long.length > 0 ? long : timed;
  const seconds = sum(basis.map((turn) => turn.seconds));
  if (seconds > 0) return (60 * sum(basis.map(({ words }) => words))) / seconds;
  if (trainee.length === 0 || durationSeconds === null || !(durationSeconds > 0)) return 0;
  return Math.min(PACE_MAX, (60 * sum(all.map(({ words }) => words))) / durationSeconds);
}

const PACE_MAX = 300;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
