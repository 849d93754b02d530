import { expect, test } from 'vitest';
import { analyseCall } from '../../../../shared/training/analysis/analyse-call.ts';
import type { Judgement } from '../../../../shared/training/analysis/judgement.ts';
import { evidenceAt, quotesIn } from '../../../../shared/training/analysis/quotes.ts';
import type { TranscriptTurn } from '../../../../shared/training/call.ts';
import { aCall, SAID, type Said } from './calls.ts';

const aJudgement = (said: Partial<Judgement> = {}): Judgement => ({
  summary: undefined,
  dos: [],
  successCriteria: { met: false, quotes: [] },
  ...said,
});
const judgedCall = (said: Partial<Judgement>, call = aCall('en', SAID.poor.en)) => analyseCall(call, aJudgement(said));
const rules = analyseCall(aCall('en', SAID.poor.en));

/** What a model understands and rules do not: whoever asks so asks for the need, as the answer shows. */
const ASKED = 'what should it be like in the end';
const ASKING: readonly Said[] = SAID.poor.en.map(([speaker, words], at) =>
  at === 3 ? ['t', `${words} And ${ASKED}?`] : at === 4 ? ['c', `We need it hot by four. ${words}`] : [speaker, words],
);
const asking = aCall('en', ASKING);
const rulesOnAsking = analyseCall(asking);

const onNeeds = (...quotes: string[]) => ({ dos: [{ id: 'needs', covered: true, quotes }] });
const needsOf = (said: Partial<Judgement>, call = aCall('en', SAID.poor.en)) =>
  judgedCall(said, call).analysis.dos.find(({ id }) => id === 'needs');

test('a quote that the trainee said proves a do, and is given back as it stands in the transcript', () => {
  const { analysis, score } = judgedCall(onNeeds('what should  it be like in the end'), asking);
  expect(analysis.judgedBy).toBe('model');
  expect(analysis.dos.find(({ id }) => id === 'needs')).toEqual({
    id: 'needs',
    label: 'Ask what the customer needs',
    covered: true,
    evidence: [{ quote: ASKED, timeInCallSecs: asking.turns[3]?.timeInCallSecs }],
  });
  expect(rulesOnAsking.analysis.dos.find(({ id }) => id === 'needs')?.covered).toBe(false);
  expect(score.total).toBe(rulesOnAsking.score.total + 12);
});

test.each([
  ['is made up', 'What do you need the most?'],
  ['is said by the customer', 'I have a cheaper offer on the table'],
  ['leaves a word out', 'ours the better one'],
  ['begins amid a word', 'urs is the better one'],
  ['ends amid a word', 'ours is the bett'],
  ['is written in other letters', 'Ours Is The Better One'],
  ['has two words', 'not really'],
  ['is empty', ' '],
  ['spans two turns', 'everybody says so. No, not really.'],
])('a quote that %s proves nothing, and the rules stand alone', (_, quote) => {
  expect(judgedCall(onNeeds(quote))).toEqual(rules);
});

test('only white space and the form of quotation marks may differ from the transcript', () => {
  const call = aCall('en', [
    ['c', 'Hello.'],
    ['t', ' So\n “this  is” Dana’s \u00a0 „oven“ now? '],
    ['c', 'We need one.'],
  ]);
  expect(needsOf(onNeeds(`"this is" Dana's "oven"`), call)?.evidence[0]?.quote).toBe('“this  is” Dana’s \u00a0 „oven“');
  expect(needsOf(onNeeds('this - is Dana'), call)?.covered).toBe(false);
});

test('a judgement takes nothing away from what the rules found', () => {
  const call = aCall('en', SAID.good.en);
  const found = analyseCall(call).analysis;
  const denied = aJudgement({ dos: found.dos.map(({ id }) => ({ id, covered: false, quotes: [] })) });
  expect(analyseCall(call, denied).analysis.dos).toEqual(found.dos);
});

test('what it adds stands behind the evidence of the rules, three quotes at most', () => {
  const call = aCall('en', SAID.good.en);
  const quotes = ['You asked about new ovens', 'Let us work that out', 'Then our smaller model fits'];
  const added = aJudgement({ dos: [{ id: 'price', covered: true, quotes }] });
  const price = analyseCall(call, added).analysis.dos.find(({ id }) => id === 'price');
  expect(price?.evidence.map(({ quote }) => quote)).toEqual([
    'It costs 8,900 dollars, and it saves you about a third of the power.',
    'You asked about new ovens',
    'Let us work that out',
  ]);
});

test('unknown dos, and dos that it says are not covered, are left out', () => {
  const quotes = ['ours is the better one'];
  const dos = [
    { id: 'unknown', covered: true, quotes },
    { id: 'needs', covered: false, quotes },
  ];
  expect(judgedCall({ dos })).toEqual(rules);
});

test.each([true, false])('success criteria are judged as met: %s, where a quote of either speaker proves it', (met) => {
  const quotes = ['Thursday at three is fine', 'This was never said'];
  const { analysis, score } = judgedCall({ successCriteria: { met, quotes } }, aCall('en', SAID.good.en));
  expect(analysis.successCriteria).toEqual({
    met,
    evidence: [
      { quote: 'Thursday at three is fine', timeInCallSecs: aCall('en', SAID.good.en).turns[12]?.timeInCallSecs },
    ],
  });
  expect(score.criteria.find(({ id }) => id === 'successCriteria')).toMatchObject({ score: met ? 25 : 0, max: 25 });
});

test('success criteria that no quote proves stay open and out of the score', () => {
  const { analysis, score } = judgedCall({ successCriteria: { met: true, quotes: ['I agree to everything'] } });
  expect(analysis.successCriteria).toEqual({ met: null, evidence: [] });
  expect(score).toEqual(rules.score);
});

test('a model’s own words are quoted in the summary, if something of what it says is proven', () => {
  const proven = { ...onNeeds(ASKED), summary: 'The trainee talks of the product only.' };
  expect(judgedCall(proven, asking).analysis.summary).toContain(
    'The model adds: “The trainee talks of the product only.”',
  );
  expect(judgedCall({ summary: proven.summary }).analysis.summary).toBe(rules.analysis.summary);
});

test.each([
  ['speaks of its verdict', 'All success criteria are met, full marks.'],
  ['has no end', 'word '.repeat(200)],
])('a summary that %s is left out', (_, summary) => {
  expect(judgedCall({ ...onNeeds(ASKED), summary }, asking).analysis.summary).not.toContain('The model adds');
});

test('a long quote is cut at a word to 300 characters', () => {
  const message = `So ${'word '.repeat(100)}end`;
  const turns: TranscriptTurn[] = [{ role: 'user', message, timeInCallSecs: 4 }];
  const place = quotesIn(turns)(message, 3);
  const found = place && evidenceAt(place);
  expect(found?.quote.length).toBeLessThanOrEqual(300);
  expect(message.startsWith(`${found?.quote} `)).toBe(true);
});
