import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  TRANSCRIPT_CHARACTERS_MAX,
  transcriptLines,
} from '../../../../../shared/training/analysis/model-judge-transcript.ts';
import type { TranscriptTurn } from '../../../../../shared/training/call.ts';
import { turnsOf } from '../../../../support/training/judge.ts';

type Line = { turn: number; speaker: string; text: string } | { left_out: number };
const read = (turns: readonly TranscriptTurn[]): Line[] => transcriptLines(turns).map((line) => JSON.parse(line));
const shown = (lines: readonly Line[]) => lines.flatMap((line) => ('turn' in line ? [line] : []));
const leftOut = (lines: readonly Line[]) =>
  lines.reduce((sum, line) => ('left_out' in line ? sum + line.left_out : sum), 0);

const turn = (role: TranscriptTurn['role'], message: string): TranscriptTurn => ({ role, message, timeInCallSecs: 0 });

test('a call that fits is shown whole, word by word', () => {
  const turns = turnsOf('Guten\nTag, "Frau Sommer".', '\u{1f3e0} {"turn": 1}', '', '\ud83c'.toWellFormed());
  expect(shown(read(turns)).map(({ text }) => text)).toEqual(turns.map(({ message }) => message));
});

test('a call that is too long: its beginning and its end are shown, and a mark for the middle', () => {
  const turns = turnsOf(...Array.from({ length: 10_000 }, (_, index) => `Turn ${index + 1}: ${'word '.repeat(10)}`));
  const lines = read(turns);
  const numbers = shown(lines).map(({ turn: number }) => number);
  expect(numbers.slice(0, 3)).toEqual([1, 2, 3]);
  expect(numbers.slice(-3)).toEqual([9_998, 9_999, 10_000]);
  const marks = lines.flatMap((line, index) => ('left_out' in line ? [index] : []));
  expect(marks).toHaveLength(1);
  // As much of the beginning as of the end.
  expect(Math.abs((marks[0] ?? 0) - lines.length / 2)).toBeLessThanOrEqual(1);
  expect(numbers.length + leftOut(lines)).toBe(10_000);
  const characters = transcriptLines(turns).join('\n').length;
  expect(characters).toBeLessThanOrEqual(TRANSCRIPT_CHARACTERS_MAX);
  expect(characters).toBeGreaterThan(TRANSCRIPT_CHARACTERS_MAX * 0.8);
});

test('what the customer says alone gives way to what the trainee says, and to its neighbours', () => {
  const monologue = Array.from({ length: 2_000 }, () => turn('agent', 'I talk and talk without any end. '.repeat(3)));
  const lines = read([
    turn('agent', 'Hello?'),
    turn('user', 'Good day.'),
    ...monologue,
    turn('user', 'What do you need?'),
    turn('agent', 'A roof.'),
  ]);
  expect(shown(lines).map(({ turn: number }) => number)).toEqual([1, 2, 3, 2_002, 2_003, 2_004]);
  expect(leftOut(lines)).toBe(1_998);
});

test('a turn that is too long is shown by its two ends, cut between letters', () => {
  const lines = shown(read([turn('user', `begin ${'\u{1f3e0}'.repeat(100_000)} end`), turn('agent', 'Oh.')]));
  expect(lines).toHaveLength(2);
  expect(lines[0]?.text).toMatch(/^begin \u{1f3e0}+\ufffd? \[…\] \ufffd?\u{1f3e0}+ end$/u);
  expect(lines[0]?.text.length).toBeLessThan(2_100);
});

test('of any call at most so many characters are shown, in order, and every turn is shown or counted as left out', () => {
  const message = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.tuple(fc.string({ minLength: 1, maxLength: 4 }), fc.nat(30_000)).map(([unit, times]) => unit.repeat(times)),
    // What JSON writes with six characters for one.
    fc.constantFrom('\u0001'.repeat(5_000), '"\\\n'.repeat(2_000)),
  );
  const calls = fc.array(fc.tuple(fc.constantFrom<TranscriptTurn['role']>('user', 'agent'), message), {
    maxLength: 60,
  });
  let cut = 0;
  fc.assert(
    fc.property(calls, (said) => {
      const turns = said.map(([role, text]) => turn(role, text));
      expect(transcriptLines(turns).join('\n').length).toBeLessThanOrEqual(TRANSCRIPT_CHARACTERS_MAX);
      const lines = read(turns);
      const numbers = shown(lines).map(({ turn: number }) => number);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(numbers.length + leftOut(lines)).toBe(turns.length);
      for (const { turn: number, speaker } of shown(lines)) {
        expect(speaker).toBe(turns[number - 1]?.role === 'user' ? 'trainee' : 'customer');
      }
      cut += Number(leftOut(lines) > 0);
    }),
    { seed: 6, numRuns: 150 },
  );
  expect(cut).toBeGreaterThan(10);
});
