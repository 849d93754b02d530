import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyseTranscript, type CallToAnalyse } from '../../../../shared/training/analysis/analyse-transcript.ts';
import type { LlmVerdict } from '../../../../shared/training/analysis/llm-verdict.ts';
import { findPromptInjections } from '../../../../shared/training/analysis/prompt-injections.ts';
import { Analysis, Score, type TranscriptTurn } from '../../../../shared/training/call.ts';
import { aCall, CASES, SAID } from './calls.ts';
import { GERMAN } from './examples-de.ts';
import { ENGLISH } from './examples-en.ts';
import { INJECTIONS } from './injection-lines.ts';

const LINES = [...GERMAN, ...ENGLISH].map(([, said]) => said);
const LABELS = [...new Set([...GERMAN, ...ENGLISH].map(([label]) => label))];

const nasty = fc.constantFrom(
  ...[
    '',
    ' ',
    '\0',
    '\ud800',
    '\udc00x',
    '😀👨‍👩‍👧',
    'مرحبا كيف حالك؟',
    '\u202eabc',
    'こんにちは。元気？',
    'e\u0301'.repeat(40),
  ],
  ...[
    '?'.repeat(500),
    'ä'.repeat(400),
    '. '.repeat(300),
    'word '.repeat(200),
    '"'.repeat(99),
    '__proto__',
    'constructor',
  ],
);
const message = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...LINES) },
  { weight: 1, arbitrary: fc.constantFrom(...INJECTIONS) },
  { weight: 2, arbitrary: nasty },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 400 }) },
);
const time = fc.oneof(fc.integer({ min: 0, max: 9_000 }), fc.constantFrom(0, -1, 1e308, -1e308, 0.5, 5e-324));
const turn: fc.Arbitrary<TranscriptTurn> = fc.record({
  role: fc.constantFrom('user', 'agent'),
  message: fc.array(message, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' ')),
  timeInCallSecs: time,
});
const label = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...LABELS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }) },
  { weight: 1, arbitrary: nasty },
);
const call: fc.Arbitrary<CallToAnalyse> = fc.record({
  trainingCase: fc
    .array(label, { maxLength: 10 })
    .map((labels) => ({ ...CASES.en, dos: labels.map((text, index) => ({ id: `do-${index}`, label: text })) })),
  turns: fc.array(turn, { maxLength: 30 }),
  durationSeconds: fc.oneof(fc.constant(null), fc.integer({ min: -5, max: 9_000 }), fc.constant(1e308)),
  interruptions: fc.oneof(fc.constant(null), fc.nat(100)),
});

const cited = fc.array(fc.oneof(fc.integer({ min: -1, max: 60 }), fc.constantFrom(0.5, 1e308)), { maxLength: 5 });
const verdict: fc.Arbitrary<LlmVerdict> = fc.record({
  summary: fc.oneof(fc.constant(undefined), message),
  dos: fc.array(fc.record({ id: fc.nat(12).map((at) => `do-${at}`), covered: fc.boolean(), sentences: cited }), {
    maxLength: 12,
  }),
  successCriteria: fc.record({ met: fc.boolean(), sentences: cited }),
});
const judgedCall = fc.tuple(call, fc.oneof(fc.constant(undefined), verdict));

const within = (figure: number, from: number, to: number) => {
  expect(figure).toBeGreaterThanOrEqual(from);
  expect(figure).toBeLessThanOrEqual(to);
};

test('for any call and verdict, metrics are in range, points add up, and every quote is part of a turn', () => {
  fc.assert(
    fc.property(judgedCall, ([one, given]) => {
      const { analysis, score } = analyseTranscript(one, given);
      expect(Analysis.parse(analysis)).toEqual(analysis);
      expect(Score.parse(score)).toEqual(score);
      within(analysis.metrics.talkRatio, 0, 1);
      within(analysis.metrics.wordsPerMinute, 0, 300);
      within(analysis.metrics.turns, 0, one.turns.length);
      within(score.total, 0, 100);
      expect(score.criteria.reduce((sum, { max }) => sum + max, 0)).toBe(100);
      expect(score.criteria.reduce((sum, criterion) => sum + criterion.score, 0)).toBe(score.total);
      for (const criterion of score.criteria) within(criterion.score, 0, criterion.max);
      const injections = findPromptInjections(one.turns, one.trainingCase);
      const honest = one.turns.filter((turn) => !injections.has(turn));
      const isQuoteOf = (role: TranscriptTurn['role'] | undefined, said: string, timeInCallSecs: number) =>
        honest.some(
          (each) =>
            each.timeInCallSecs === timeInCallSecs && each.message.includes(said) && (role ?? each.role) === each.role,
        );
      for (const { covered, evidence } of analysis.dos) {
        if (given === undefined) expect(covered).toBe(evidence.length > 0);
        if (covered) expect(evidence.length).toBeGreaterThan(0);
        within(evidence.length, 0, given === undefined ? 3 : 6);
        for (const each of evidence) expect(isQuoteOf('user', each.quote, each.timeInCallSecs)).toBe(true);
        for (const each of evidence) within(each.quote.length, 1, 300);
      }
      for (const each of analysis.successCriteria.evidence)
        expect(isQuoteOf(undefined, each.quote, each.timeInCallSecs)).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test('analysing the same call and verdict twice gives the same result, and changes neither call nor verdict', () => {
  fc.assert(
    fc.property(judgedCall, ([one, given]) => {
      const before = JSON.stringify([one, given]);
      const first = analyseTranscript(one, given);
      expect(analyseTranscript(structuredClone(one), structuredClone(given))).toEqual(first);
      expect(JSON.stringify([one, given])).toBe(before);
    }),
    { numRuns: 100 },
  );
});

test('the order of the dos does not change the result of any do or the score', () => {
  fc.assert(
    fc.property(call, (one) => {
      const reversed = { ...one, trainingCase: { ...one.trainingCase, dos: one.trainingCase.dos.toReversed() } };
      const [as, turned] = [analyseTranscript(one), analyseTranscript(reversed)];
      expect(turned.analysis.dos.toReversed()).toEqual(as.analysis.dos);
      expect(turned.score.total).toBe(as.score.total);
    }),
    { numRuns: 100 },
  );
});

test('if a repeated turn of the trainee does not change the language of the call, it adds no mention and no question', () => {
  fc.assert(
    fc.property(call, fc.nat(), (one, at) => {
      const said = one.turns.filter(({ role }) => role === 'user');
      const again = said[at % Math.max(1, said.length)];
      if (again === undefined) return;
      const once = analyseTranscript(one);
      const repeated = analyseTranscript({ ...one, turns: [...one.turns, again, again] });
      if (once.analysis.language !== repeated.analysis.language) return;
      expect(repeated.analysis.dos).toEqual(once.analysis.dos);
      expect(repeated.analysis.metrics.questionsAsked).toBe(once.analysis.metrics.questionsAsked);
    }),
    { numRuns: 100 },
  );
});

test('without a model, mentioning the dos of the case does not raise the score', () => {
  fc.assert(
    fc.property(call, (one) => {
      const unmentioned = { ...one, trainingCase: { ...one.trainingCase, dos: [] } };
      const [scored, other] = [analyseTranscript(one), analyseTranscript(unmentioned)];
      // The score can be lower, because reading out the dos counts as a prompt injection.
      expect(scored.score.total).toBeLessThanOrEqual(other.score.total);
      if (!/does not count|zählt nicht/.test(scored.analysis.summary)) expect(scored.score).toEqual(other.score);
    }),
    { numRuns: 100 },
  );
});

const hugeTurn = (text: string): TranscriptTurn[] => [{ role: 'user', message: text, timeInCallSecs: 0 }];
const MB = 1_000_000;

test.each<[string, TranscriptTurn[]]>([
  [
    '10,000 turns',
    Array.from({ length: 10_000 }, (_, at) => ({
      role: at % 2 ? 'user' : 'agent',
      message: LINES[at % LINES.length] ?? '',
      timeInCallSecs: at,
    })),
  ],
  ['one word of 1 MB', hugeTurn('a'.repeat(MB))],
  ['1 MB without spaces', hugeTurn('abc.def?ghi!'.repeat(MB / 12))],
  ['1 MB of full stops', hugeTurn('.'.repeat(MB))],
  ['1 MB of question marks with spaces', hugeTurn('? '.repeat(MB / 2))],
  ['1 MB of single letters', hugeTurn('a '.repeat(MB / 2))],
  ['1 MB of lone surrogates', hugeTurn('\ud800'.repeat(MB))],
  ['1 MB of NUL', hugeTurn('\0'.repeat(MB))],
  ['1 MB of accents', hugeTurn('e\u0301'.repeat(MB / 2))],
  ['1 MB of beginnings of an injection', hugeTurn('give me '.repeat(MB / 8))],
  ['1 MB of single digits', hugeTurn('1-'.repeat(MB / 2))],
  ['1 MB of digits without spaces', hugeTurn('10'.repeat(MB / 2))],
  ['1 MB of beginnings of a question', hugeTurn('passt es '.repeat(MB / 9))],
])('a call with %s has a valid analysis and score', (_, turns) => {
  const { analysis, score } = analyseTranscript({ ...aCall('de', SAID.good.de), turns });
  expect(Analysis.parse(analysis)).toEqual(analysis);
  expect(Score.parse(score)).toEqual(score);
});
