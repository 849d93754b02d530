import { describe, expect, test } from 'vitest';
import { analyseTranscript } from '../../../../shared/training/analysis/analyse-transcript.ts';
import { countFillers } from '../../../../shared/training/analysis/metrics.ts';
import type { TranscriptTurn } from '../../../../shared/training/call.ts';
import { CASES } from './calls.ts';

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
const turn = (role: TranscriptTurn['role'], timeInCallSecs: number, message: string): TranscriptTurn => ({
  role,
  timeInCallSecs,
  message,
});
const metricsOf = (
  turns: readonly TranscriptTurn[],
  durationSeconds: number | null = null,
  interruptions: number | null = null,
) => analyseTranscript({ trainingCase: CASES.en, turns, durationSeconds, interruptions }).analysis.metrics;

describe('speaking time', () => {
  test('is the time until the next turn', () => {
    const turns = [turn('user', 0, words(25)), turn('agent', 10, words(75))];
    expect(metricsOf(turns, 40).talkRatio).toBe(0.25);
  });

  test('is at most the time that the words take at 90 words a minute, so that pauses do not count', () => {
    const turns = [turn('user', 0, words(15)), turn('agent', 3_600, words(15))];
    expect(metricsOf(turns, 3_610)).toMatchObject({ talkRatio: 0.5, longestMonologueSecs: 10 });
  });

  test('is at least the time that the words take at 300 words a minute', () => {
    const turns = [turn('user', 0, words(300)), turn('agent', 1, words(300))];
    expect(metricsOf(turns, 61).longestMonologueSecs).toBe(60);
  });

  test.each([
    ['equal', [0, 0, 0]],
    ['running backwards', [9, 6, 3]],
  ])('is estimated from the number of words when the times are %s', (_, times) => {
    const turns = [words(30), words(70), words(30)].map((message, at) =>
      turn(at === 1 ? 'agent' : 'user', times[at] ?? 0, message),
    );
    expect(metricsOf(turns)).toMatchObject({ talkRatio: 0.46, longestMonologueSecs: 12, wordsPerMinute: 0 });
  });

  test('of a monologue includes all turns until the customer says a word', () => {
    const turns = [
      turn('user', 0, words(25)),
      turn('user', 10, words(25)),
      turn('agent', 20, ' … '),
      turn('user', 20, words(25)),
      turn('agent', 30, 'Yes.'),
    ];
    expect(metricsOf(turns, 31)).toMatchObject({ longestMonologueSecs: 30, turns: 4 });
  });
});

describe('pace', () => {
  test('is the number of words per minute in trainee turns whose end is known', () => {
    expect(metricsOf([turn('user', 0, words(50)), turn('agent', 20, 'Yes.')]).wordsPerMinute).toBe(150);
  });
  test('ignores turns of fewer than ten words if there are longer turns', () => {
    const turns = [turn('user', 0, 'Yes.'), turn('agent', 5, 'No.'), turn('user', 6, words(40))];
    expect(metricsOf(turns, 22).wordsPerMinute).toBe(150);
  });
  test('if no trainee turn has a known end, counts the words of both speakers, and is 0 without a duration', () => {
    expect(
      metricsOf([turn('agent', 0, words(50)), turn('user', 0, words(0)), turn('user', 0, words(50))]).wordsPerMinute,
    ).toBe(0);
    expect(metricsOf([turn('user', 60, words(50)), turn('agent', 60, words(50))], 60).wordsPerMinute).toBe(100);
  });
});

test('a silent speaker has no share of speaking time', () => {
  expect(metricsOf([turn('agent', 0, words(9))], 9)).toMatchObject({ talkRatio: 0, turns: 1, wordsPerMinute: 0 });
  expect(metricsOf([turn('user', 0, words(9))], 9)).toMatchObject({ talkRatio: 1, turns: 1 });
  expect(metricsOf([], 9)).toMatchObject({ talkRatio: 0, turns: 0, longestMonologueSecs: 0 });
});

test.each([null, 0, 3])('the number of interruptions is taken from the provider (%s)', (interruptions) => {
  expect(metricsOf([turn('user', 0, 'Hello.')], 1, interruptions).interruptions).toBe(interruptions);
});

test('a question repeated in the same words counts once', () => {
  const turns = ['How are you?', 'How are you?', 'how are you', 'Who are you?'].map((said) => turn('user', 0, said));
  expect(metricsOf([...turns, turn('agent', 9, 'How am I?')]).questionsAsked).toBe(2);
});

test.each([
  ['de', 'Ähm, ja, äh, das ist halt so, hm, irgendwie.', 5],
  ['de', 'Also, ich denke, na ja, das ist quasi fertig, sag ich mal.', 4],
  ['de', 'Halt! Machen wir hier halt mach. Um zehn Uhr, also morgen. Ich bin also da. Mhm.', 0],
  ['en', 'Um, so, uh, it is, you know, like, fine, I mean, kind of.', 6],
  ['en', 'Do you know what I like? What kind of oven you have, so I know. I mean it. You know that.', 0],
  ['fr', 'Euh, um, ähm.', 0],
  ['und', 'Um. Ähm.', 0],
])('in the language %s, «%s» has %i filler words', (language, said, count) =>
  expect(countFillers(said, language)).toBe(count),
);
