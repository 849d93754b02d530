import type { TranscriptTurn } from '../call.ts';
import { countWords } from './words.ts';

const SECONDS_A_WORD = { slow: 60 / 90, ordinary: 60 / 150, fast: 60 / 300 };

export type Spoken = {
  turn: TranscriptTurn;
  words: number;
  /** Estimated. */
  seconds: number;
  /** Whether the times say when the turn ended at the latest. */
  isTimed: boolean;
};

/**
 * How long each turn was spoken for; turns without a word are left out. Our own estimate, since a transcript knows only
 * when turns began, in whole seconds: the time until the next turn, but no longer than its words take at 90 a minute (the
 * rest was a pause) and no shorter than at 300 (nobody is faster). Where there is no such time, because times are missing,
 * equal or run backwards: its words at 150 a minute, the usual pace of a conversation.
 */
export function spokenTurns(turns: readonly TranscriptTurn[], durationSeconds: number | null): Spoken[] {
  const spoken = turns.flatMap((turn) => {
    const words = countWords(turn.message);
    return words === 0 ? [] : [{ turn, words }];
  });
  return spoken.map(({ turn, words }, index) => {
    const end = index + 1 < spoken.length ? spoken[index + 1]?.turn.timeInCallSecs : (durationSeconds ?? undefined);
    const gap = end === undefined ? Number.NaN : end - turn.timeInCallSecs;
    const isTimed = gap > 0 && Number.isFinite(gap);
    return { turn, words, isTimed, seconds: isTimed ? plausible(gap, words) : words * SECONDS_A_WORD.ordinary };
  });
}

const plausible = (gap: number, words: number): number =>
  Math.min(Math.max(gap, words * SECONDS_A_WORD.fast), words * SECONDS_A_WORD.slow);
