import { expect, test } from 'vitest';
import { analyseTranscript } from '../../../../shared/training/analysis/analyse-transcript.ts';
import { growthOf, LINEAR_GROWTH_MAX } from '../../../support/growth.ts';
import { aTrainingCase } from '../../../support/training/calls.ts';

const trainingCase = aTrainingCase();
const analysed = (message: string) =>
  analyseTranscript({
    trainingCase,
    turns: [
      { role: 'agent', message, timeInCallSecs: 0 },
      { role: 'user', message, timeInCallSecs: 30 },
    ],
    durationSeconds: 60,
    interruptions: null,
  });

test.each<[string, (size: number) => string]>([
  ['combining marks in wrong order', (size) => `a${'\u0301\u0323'.repeat(size / 2)}`],
  ['letters with 30 marks each', (size) => `a${'\u0301\u0323'.repeat(15)}`.repeat(size / 31)],
  ['sentences', (size) => 'Hello there, how are you? '.repeat(size / 26)],
  ['full stops', (size) => '.'.repeat(size)],
  ['letters one by one', (size) => 'a b '.repeat(size / 4)],
])('the time to analyse a call is linear in its length (%s)', (_, make) => {
  expect(growthOf(make, analysed, 10_000)).toBeLessThan(LINEAR_GROWTH_MAX);
});
