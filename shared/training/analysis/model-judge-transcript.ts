import type { TranscriptTurn } from '../call.ts';

/**
 * How much of a call a judge reads, in characters of the lines below: more than an hour's. It bounds what one call can
 * take of the organization's tokens, and fits the models of today.
 */
export const TRANSCRIPT_CHARACTERS_MAX = 60_000;

/** What is shown of a turn's beginning and of its end, where a call is too long to be shown whole. */
const END_CHARACTERS = 1_000;

/** As long as a mark for what is left out can be. */
const MARK_CHARACTERS = 24;

type Shown = { index: number; line: string };

/**
 * A transcript as a judge reads it: one JSON object a line, so that nothing that is said can begin a line of its own. A
 * call that is too long is shown as the trainee's turns and their neighbours, its beginning and end before its middle,
 * and long turns without theirs; marks stand for what is left out.
 */
export function transcriptLines(turns: readonly TranscriptTurn[]): string[] {
  const all = turns.map(lineOf);
  const characters = all.reduce((sum, line) => sum + line.length + 1, 0);
  if (characters <= TRANSCRIPT_CHARACTERS_MAX) return all;
  const wanted = turns.flatMap((turn, index) => {
    const nearTrainee = [index - 1, index, index + 1].some((near) => turns[near]?.role === 'user');
    return nearTrainee ? [{ index, line: lineOf({ ...turn, message: endsOf(turn.message) }, index) }] : [];
  });
  return marked(outermost(wanted), turns.length);
}

const lineOf = ({ role, message }: Pick<TranscriptTurn, 'role' | 'message'>, index: number): string =>
  JSON.stringify({ turn: index + 1, speaker: role === 'user' ? 'trainee' : 'customer', text: message });

function endsOf(message: string): string {
  if (message.length <= 2 * END_CHARACTERS) return message;
  return `${message.slice(0, END_CHARACTERS).toWellFormed()} […] ${message.slice(-END_CHARACTERS).toWellFormed()}`;
}

/** As many as there is room for, from the two ends inwards. */
function outermost(wanted: readonly Shown[]): Shown[] {
  const [begin, end]: [Shown[], Shown[]] = [[], []];
  let [room, first, last] = [TRANSCRIPT_CHARACTERS_MAX, 0, wanted.length - 1];
  while (first <= last) {
    const fromBegin = begin.length <= end.length;
    const next = wanted[fromBegin ? first++ : last--];
    if (next === undefined) break;
    room -= next.line.length + MARK_CHARACTERS;
    if (room < 0) break;
    (fromBegin ? begin : end).push(next);
  }
  return [...begin, ...end.reverse()];
}

function marked(shown: readonly Shown[], turns: number): string[] {
  const lines: string[] = [];
  let next = 0;
  for (const { index, line } of [...shown, { index: turns, line: '' }]) {
    if (index > next) lines.push(JSON.stringify({ left_out: index - next }));
    if (line !== '') lines.push(line);
    next = index + 1;
  }
  return lines;
}
