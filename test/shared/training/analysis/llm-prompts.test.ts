import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TRANSCRIPT_CHARACTERS_MAX, transcriptLines } from '../../../../shared/training/analysis/llm-prompts.ts';
import { splitSentences } from '../../../../shared/training/analysis/sentences.ts';
import type { TranscriptTurn } from '../../../../shared/training/call.ts';
import { turnsOf } from '../../../support/training/judge.ts';

type Line = { sentence: number; speaker: string; text: string } | { left_out: number };
const split = (turns: readonly TranscriptTurn[]) => splitSentences(turns, 'und');
const linesOf = (turns: readonly TranscriptTurn[]) => transcriptLines(split(turns));
const read = (turns: readonly TranscriptTurn[]): Line[] => linesOf(turns).map((line) => JSON.parse(line));
const shown = (lines: readonly Line[]) => lines.flatMap((line) => ('sentence' in line ? [line] : []));
const leftOut = (lines: readonly Line[]) =>
  lines.reduce((sum, line) => ('left_out' in line ? sum + line.left_out : sum), 0);

const turn = (role: TranscriptTurn['role'], message: string): TranscriptTurn => ({ role, message, timeInCallSecs: 0 });

test('the prompt shows all sentences of a short call, except sentences without words, such as “…”', () => {
  const turns = turnsOf('Guten Tag, "Frau Sommer". So?', '\u{1f3e0} {"turn": 1}', '…', 'Ja, gern.');
  expect(shown(read(turns)).map(({ text }) => text)).toEqual([
    ...['Guten Tag, "Frau Sommer".', 'So?', '\u{1f3e0} {"turn": 1}', 'Ja, gern.'],
  ]);
});

test('if a call is too long, the prompt shows its beginning and its end, with a mark between them', () => {
  const turns = turnsOf(...Array.from({ length: 10_000 }, (_, index) => `Turn ${index + 1}: ${'word '.repeat(10)}`));
  const lines = read(turns);
  const numbers = shown(lines).map(({ sentence }) => sentence);
  expect(numbers.slice(0, 3)).toEqual([1, 2, 3]);
  expect(numbers.slice(-3)).toEqual([9_998, 9_999, 10_000]);
  const marks = lines.flatMap((line, index) => ('left_out' in line ? [index] : []));
  expect(marks).toHaveLength(1);
  expect(Math.abs((marks[0] ?? 0) - lines.length / 2)).toBeLessThanOrEqual(1);
  expect(numbers.length + leftOut(lines)).toBe(10_000);
  const characters = linesOf(turns).join('\n').length;
  expect(characters).toBeLessThanOrEqual(TRANSCRIPT_CHARACTERS_MAX);
  expect(characters).toBeGreaterThan(TRANSCRIPT_CHARACTERS_MAX * 0.8);
});

test('if the prompt omits a customer’s long monologue, it shows the trainee’s sentences and those next to them', () => {
  const monologue = Array.from({ length: 2_000 }, () =>
    turn('agent', `${'I talk and talk without any end '.repeat(3)}.`),
  );
  const lines = read([
    turn('agent', 'Hello?'),
    turn('user', 'Good day.'),
    ...monologue,
    turn('user', 'What do you need?'),
    turn('agent', 'A roof.'),
  ]);
  expect(shown(lines).map(({ sentence }) => sentence)).toEqual([1, 2, 3, 2_002, 2_003, 2_004]);
  expect(leftOut(lines)).toBe(1_998);
});

test('for any call, the prompt keeps the order of sentences and a limit of characters, and counts omitted sentences', () => {
  const message = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.tuple(fc.string({ minLength: 1, maxLength: 4 }), fc.nat(30_000)).map(([unit, times]) => unit.repeat(times)),
    // Characters that JSON escapes.
    fc.constantFrom('a\u0001'.repeat(5_000), 'a"\\\n'.repeat(2_000)),
  );
  const calls = fc.array(fc.tuple(fc.constantFrom<TranscriptTurn['role']>('user', 'agent'), message), {
    maxLength: 60,
  });
  let cut = 0;
  fc.assert(
    fc.property(calls, (said) => {
      const turns = said.map(([role, text]) => turn(role, text));
      const sentences = split(turns);
      expect(linesOf(turns).join('\n').length).toBeLessThanOrEqual(TRANSCRIPT_CHARACTERS_MAX);
      const lines = read(turns);
      const numbers = shown(lines).map(({ sentence }) => sentence);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(numbers.length + leftOut(lines)).toBe(sentences.length);
      for (const { sentence, speaker, text } of shown(lines)) {
        const { role } = sentences[sentence - 1]?.turn ?? {};
        expect([speaker, text]).toEqual([role === 'user' ? 'trainee' : 'customer', sentences[sentence - 1]?.text]);
      }
      cut += Number(leftOut(lines) > 0);
    }),
    { seed: 6, numRuns: 150 },
  );
  expect(cut).toBeGreaterThan(10);
});
