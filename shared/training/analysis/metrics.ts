import type { CallMetrics, TranscriptTurn } from '../call.ts';
import type { KnownLanguage } from './language.ts';
import { isOfTrainee, type Sentence } from './sentences.ts';
import { countWords, multilineRegExp } from './words.ts';

export type CallMeasurements = {
  metrics: CallMetrics;
  /** Number of words of the trainee. A repeated sentence counts once. */
  traineeWords: number;
  /** Number of turns of the customer. A repeated turn counts once. */
  customerTurns: number;
  /** Estimated speaking time of trainee and customer together. */
  speakingSeconds: number;
};

type CallToMeasure = {
  turns: readonly TranscriptTurn[];
  /** Turns that are not counted. Only their start times are used, because the turns before them end there. */
  excluded?: ReadonlySet<TranscriptTurn>;
  /** The sentences of all turns except the excluded ones. */
  sentences: readonly Sentence[];
  language: string;
  durationSeconds: number | null;
  interruptions: number | null;
};

/**
 * Computes the metrics of a call:
 * - `talkRatio`: the trainee's share of all speaking time (Gong Labs: talk-to-listen ratio)
 * - `longestMonologueSecs`: the trainee's longest speaking time without a word of the customer
 * - `questionsAsked`: the number of the trainee's questions with different words (see `isQuestion`)
 * - `turns`: the number of turns with a word
 * - `interruptions`: as the voice provider reports them
 */
export function computeMetrics(call: CallToMeasure): CallMeasurements {
  const { language, durationSeconds, excluded, interruptions } = call;
  const sentences = call.sentences.filter(isOfTrainee);
  const spoken = estimateSpeakingTimes(call.turns, durationSeconds).filter(({ turn }) => !excluded?.has(turn));
  const trainee = spoken.filter(({ turn }) => turn.role === 'user');
  const customer = spoken.filter(({ turn }) => turn.role === 'agent');
  const speakingSeconds = sum(spoken.map((turn) => turn.seconds));
  const traineeSeconds = sum(trainee.map((turn) => turn.seconds));
  return {
    traineeWords: sum([...new Map(sentences.map(({ wording, wordCount }) => [wording, wordCount])).values()]),
    customerTurns: new Set(customer.map(({ turn }) => turn.message.trim())).size,
    speakingSeconds,
    metrics: {
      talkRatio: speakingSeconds === 0 ? 0 : Math.min(1, Math.round((traineeSeconds / speakingSeconds) * 100) / 100),
      longestMonologueSecs: Math.round(longestMonologueSeconds(spoken)),
      questionsAsked: new Set(sentences.filter(({ isQuestion }) => isQuestion).map(({ wording }) => wording)).size,
      turns: spoken.length,
      wordsPerMinute: Math.round(wordsPerMinute(trainee, spoken, durationSeconds)),
      interruptions,
      fillerWords: sum(trainee.map(({ turn }) => countFillers(turn.message, language))),
    },
  };
}

/** @property isTimed whether `seconds` is computed from the start times in the transcript */
type SpokenTurn = { turn: TranscriptTurn; words: number; seconds: number; isTimed: boolean };

const SECONDS_PER_WORD = { slow: 60 / 90, ordinary: 60 / 150, fast: 60 / 300 };

/**
 * Estimates how long each turn with a word was spoken, because a transcript only has start times in whole seconds. The
 * estimate is the time until the next turn, limited to a pace of 90 to 300 words a minute. If the times are missing,
 * equal or run backwards, a pace of 150 words a minute is assumed, the usual pace of a conversation.
 */
function estimateSpeakingTimes(turns: readonly TranscriptTurn[], durationSeconds: number | null): SpokenTurn[] {
  const spoken = turns.map((turn) => ({ turn, words: countWords(turn.message) })).filter(({ words }) => words > 0);
  return spoken.map(({ turn, words }, index) => {
    const end = index + 1 < spoken.length ? spoken[index + 1]?.turn.timeInCallSecs : (durationSeconds ?? undefined);
    const gap = end === undefined ? Number.NaN : end - turn.timeInCallSecs;
    const isTimed = gap > 0 && Number.isFinite(gap);
    const plausible = Math.min(Math.max(gap, words * SECONDS_PER_WORD.fast), words * SECONDS_PER_WORD.slow);
    return { turn, words, isTimed, seconds: isTimed ? plausible : words * SECONDS_PER_WORD.ordinary };
  });
}

function longestMonologueSeconds(spoken: readonly SpokenTurn[]): number {
  let longest = 0;
  let current = 0;
  for (const { turn, seconds } of spoken) {
    current = turn.role === 'user' ? current + seconds : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}

/** Shorter turns say little about the pace, because the pause around them can be longer than the turn. */
const PACE_WORDS_MIN = 10;
const PACE_MAX = 300;

/**
 * Returns the trainee's words per minute in timed turns (see `SpokenTurn`), if possible in those with at least ten
 * words. If no turn of the trainee is timed, returns the words of both speakers per minute of the call, at most 300.
 * Returns 0 if the trainee said nothing, or if no turn of the trainee is timed and the call has no duration.
 */
function wordsPerMinute(
  trainee: readonly SpokenTurn[],
  all: readonly SpokenTurn[],
  durationSeconds: number | null,
): number {
  const timed = trainee.filter(({ isTimed }) => isTimed);
  const long = timed.filter(({ words }) => words >= PACE_WORDS_MIN);
  const basis = long.length > 0 ? long : timed;
  const seconds = sum(basis.map((turn) => turn.seconds));
  if (seconds > 0) return (60 * sum(basis.map(({ words }) => words))) / seconds;
  if (trainee.length === 0 || durationSeconds === null || !(durationSeconds > 0)) return 0;
  return Math.min(PACE_MAX, (60 * sum(all.map(({ words }) => words))) / durationSeconds);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/**
 * Hesitations, such as “uh” and “um” (Clark and Fox Tree, Using uh and um in spontaneous speaking, Cognition 84, 2002),
 * and empty phrases, which we chose ourselves. Words that often have a meaning («also», “like”) match only where they
 * are empty.
 */
const FILLERS: Record<KnownLanguage, readonly RegExp[]> = {
  de: [
    multilineRegExp(
      String.raw`(?<![\p{L}\p{N}])(?:ä{1,9}h{1,9}m{0,9}|ö{1,9}h{1,9}m{0,9}|ähm|hm{1,9}|naja|na ja|tja|quasi|sozusagen|
      irgendwie|sag ich mal|ich sag mal|sagen wir mal)(?![\p{L}\p{N}])`,
      'giu',
    ),
    // «halt» has a meaning at the start of a sentence («Halt!») and in phrases such as «halt gemacht».
    /(?<=[\p{L},] )halt(?! (?:mach|gemacht|find|gefunden|geb|gegeben|bieten))(?![\p{L}\p{N}])/gu,
    /(?<=^|[.!?…] )also, /giu,
  ],
  en: [
    /(?<![\p{L}\p{N}])(?:u{1,9}h{1,9}m{0,9}|u{1,9}m{1,9}|erm{0,9}|hm{2,9}|kinda|sorta|basically)(?![\p{L}\p{N}])/gu,
    /(?<=^|[.!?…] )(?:Uh|Um|Erm|Hmm|Basically)(?![\p{L}\p{N}])/gu,
    multilineRegExp(
      String.raw`(?<!\b(?:do|does|did|if|as|let|would|don't|what|how|should|will|might|may|than) )\byou know\b(?! (?:what|
      that|how|why|who|where|if|the|about|this|each|him|her|them|it|when|which|our|your|any|anyone|a)\b)`,
      'gi',
    ),
    /(?<!\bwhat )\bI mean\b(?! (?:it|business|that|by)\b)/gi,
    /, like,/gi,
    multilineRegExp(
      String.raw`(?<!\b(?:what|which|this|that|the|a|an|any|some|every|all|one|same|other|certain|new|different|right|best|
      first|many|our|your|their|these|those|no) )\b(?:kind|sort) of\b`,
      'gi',
    ),
  ],
};

/** Counts filler words; 0 in languages other than German and English. */
export function countFillers(text: string, language: string): number {
  if (language !== 'de' && language !== 'en') return 0;
  return FILLERS[language].reduce((sum, filler) => sum + (text.match(filler)?.length ?? 0), 0);
}
