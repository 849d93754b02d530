import { expect, test } from 'vitest';
import { analyseTranscript } from '../../../../shared/training/analysis/analyse-transcript.ts';
import type { LlmVerdict } from '../../../../shared/training/analysis/llm-verdict.ts';
import { splitSentences } from '../../../../shared/training/analysis/sentences.ts';
import { aCall, CASES, SAID } from './calls.ts';

const good = aCall('en', SAID.good.en);
const sentences = splitSentences(good.turns, 'en');
/** The number by which a model cites a sentence. */
const numberOf = (text: string) => sentences.findIndex((sentence) => sentence.text === text) + 1;

const aVerdict = (said: Partial<LlmVerdict> = {}): LlmVerdict => ({
  summary: undefined,
  dos: [],
  successCriteria: { met: false, sentences: [] },
  ...said,
});
const covering = (id: string, ...cited: number[]) => ({ dos: [{ id, covered: true, sentences: cited }] });
const doOf = (id: string, said: Partial<LlmVerdict>) =>
  analyseTranscript(good, aVerdict(said)).analysis.dos.find((one) => one.id === id);

const GREETING = 'Good morning, my name is Dana Weber from Northlight Ovens.';
const VISIT = 'Thursday at three is fine, the shop is quiet then.';

test('a sentence of the trainee that the model cites proves a do, and is quoted literally with its time', () => {
  const { analysis } = analyseTranscript(good, aVerdict(covering('greeting', numberOf(GREETING))));
  expect(analysis.judgedBy).toBe('model');
  expect(analysis.dos[0]).toEqual({
    ...CASES.en.dos[0],
    covered: true,
    evidence: [{ quote: GREETING, timeInCallSecs: good.turns[1]?.timeInCallSecs }],
  });
});

test.each([
  ['missing', []],
  ['number 0', [0]],
  ['beyond the end', [1_000]],
  ['one of the customer', [numberOf(VISIT)]],
  ['two words long', [numberOf('I see.')]],
])('a do is not covered if the only sentence that the model cites for it is %s', (_, cited) => {
  expect(doOf('greeting', covering('greeting', ...cited))).toMatchObject({ covered: false, evidence: [] });
});

test('a sentence can prove two claims, but proves none if it is cited for three claims', () => {
  const cited = { covered: true, sentences: [numberOf(GREETING)] };
  const ids = ['greeting', 'needs', 'objection'];
  const coveredBy = (count: number) =>
    analyseTranscript(good, aVerdict({ dos: ids.slice(0, count).map((id) => ({ id, ...cited })) }))
      .analysis.dos.filter(({ covered }) => covered)
      .map(({ id }) => id);
  expect([coveredBy(2), coveredBy(3)]).toEqual([['greeting', 'needs'], []]);
  const criteria = { met: true, sentences: cited.sentences };
  const { analysis } = analyseTranscript(
    good,
    aVerdict({ dos: ids.slice(0, 2).map((id) => ({ id, ...cited })), successCriteria: criteria }),
  );
  expect(analysis.successCriteria.met).toBe(false);
});

test('a sentence that is said three times and cited for three dos proves none of the dos', () => {
  const line = 'What do you think of it today?';
  const call = aCall('en', [...SAID.poor.en, ['t', line], ['c', 'Hm.'], ['t', line], ['c', 'Well.'], ['t', line]]);
  const numbers = splitSentences(call.turns, 'en').flatMap(({ text }, at) => (text === line ? [at + 1] : []));
  const dos = ['greeting', 'needs', 'objection'].map((id, at) => ({
    id,
    covered: true,
    sentences: [numbers[at] ?? 0],
  }));
  expect(analyseTranscript(call, aVerdict({ dos })).analysis.dos.filter(({ covered }) => covered)).toEqual([]);
});

test('a model decides which dos are covered; the evidence lists mentions first, then the citations of the model', () => {
  const price = 'It costs 8,900 dollars, and it saves you about a third of the power.';
  const mention = 'I understand that the price feels high at first.';
  expect(doOf('price', {})).toMatchObject({ covered: false, evidence: [{ quote: mention }] });
  expect(doOf('price', covering('price', numberOf(price), numberOf(mention)))).toMatchObject({
    covered: true,
    evidence: [{ quote: mention }, { quote: price }],
  });
});

test('in a verdict, unknown dos and dos that are not covered are ignored', () => {
  const cited = [numberOf(GREETING)];
  const dos = [
    { id: 'unknown', covered: true, sentences: cited },
    { id: 'greeting', covered: false, sentences: cited },
  ];
  expect(analyseTranscript(good, aVerdict({ dos }))).toEqual(analyseTranscript(good, aVerdict()));
});

test('success criteria are met only with a quote, which may be of the customer', () => {
  const judged = (met: boolean, cited: number[]) =>
    analyseTranscript(good, aVerdict({ successCriteria: { met, sentences: cited } }));
  const points = ({ score }: ReturnType<typeof judged>) => score.criteria.find(({ id }) => id === 'successCriteria');
  const met = judged(true, [numberOf(VISIT), 1_000]);
  expect(met.analysis.successCriteria).toEqual({
    met: true,
    evidence: [{ quote: VISIT, timeInCallSecs: good.turns[12]?.timeInCallSecs }],
  });
  expect(points(met)).toMatchObject({ score: 25, max: 25 });
  for (const one of [judged(true, []), judged(true, [1_000]), judged(false, [numberOf(VISIT)])]) {
    expect(one.analysis.successCriteria).toEqual({ met: false, evidence: [] });
    expect(points(one)).toMatchObject({ score: 0, max: 25 });
  }
});

test('the summary of the analysis quotes the summary of the model', () => {
  const summary = 'The trainee talks of the product only.';
  expect(analyseTranscript(good, aVerdict({ summary })).analysis.summary).toContain(`The model adds: “${summary}”`);
});

test('a sentence of the model’s summary is quoted only if it ends within the first 300 characters', () => {
  const sentence = 'The trainee found the needs of the customer early.';
  const { summary } = analyseTranscript(good, aVerdict({ summary: Array(9).fill(sentence).join(' ') })).analysis;
  expect(summary).toContain(`The model adds: “${Array(5).fill(sentence).join(' ')}”`);
});

test('a last sentence without an end mark is left out of the quoted summary', () => {
  const { summary } = analyseTranscript(good, aVerdict({ summary: 'The trainee asks first. And then' })).analysis;
  expect(summary).toContain('The model adds: “The trainee asks first.”');
});

test.each([
  ['speaks of the verdict', 'All success criteria are met, full marks.'],
  ['has no end of a sentence', 'word '.repeat(200)],
])('a summary of the model is left out when it %s', (_, summary) => {
  expect(analyseTranscript(good, aVerdict({ summary })).analysis.summary).not.toContain('The model adds');
});

test('a long sentence is quoted up to at most 300 characters, and cut between words', () => {
  const call = aCall('en', [
    ['c', 'Hello.'],
    ['t', `So ${'word '.repeat(100)}end`],
  ]);
  const { analysis } = analyseTranscript(call, aVerdict(covering('needs', 2)));
  const quote = analysis.dos[1]?.evidence[0]?.quote ?? '';
  expect(quote.length).toBeGreaterThan(200);
  expect(quote.length).toBeLessThanOrEqual(300);
  expect(call.turns[1]?.message.startsWith(`${quote} `)).toBe(true);
});
