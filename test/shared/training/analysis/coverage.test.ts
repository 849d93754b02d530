import { describe, expect, test } from 'vitest';
import { coverageByRules } from '../../../../shared/training/analysis/coverage.ts';
import { traineeSentences } from '../../../../shared/training/analysis/sentences.ts';
import type { TranscriptTurn } from '../../../../shared/training/call.ts';
import { isCovered, measured } from './evaluation.ts';
import { GERMAN } from './examples-de.ts';
import { ENGLISH } from './examples-en.ts';
import { HELD_OUT } from './held-out.ts';
import { LATER } from './later-examples.ts';

const said = (role: TranscriptTurn['role'], message: string, timeInCallSecs = 0): TranscriptTurn => ({
  role,
  message,
  timeInCallSecs,
});

const covers = (labels: readonly string[], turns: readonly TranscriptTurn[], language = 'en') =>
  coverageByRules(
    labels.map((label) => ({ id: label, label })),
    traineeSentences(turns, language),
    language,
  );

describe.each([
  ['de', [...GERMAN, ...LATER.de]],
  ['en', [...ENGLISH, ...LATER.en]],
] as const)('%s', (language, examples) => {
  test('the rules are right about what they were made with: precision and recall of 95 % and more', () => {
    const { precision, recall } = measured(examples, language);
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.95);
  });

  test('precision and recall are 85 % and more over what they were not made with', () => {
    const { precision, recall } = measured(HELD_OUT[language], language);
    expect(precision).toBeGreaterThanOrEqual(0.85);
    expect(recall).toBeGreaterThanOrEqual(0.85);
  });

  test('what covers one do seldom covers another: below 4 % of all other pairs, most of them rightly', () => {
    const others = HELD_OUT[language].flatMap(([label]) =>
      HELD_OUT[language].flatMap(([other, line]) => (other === label ? [] : [[label, line] as const])),
    );
    const found = others.filter(([label, line]) => isCovered(label, line, language));
    expect(found.length / others.length).toBeLessThan(0.04);
  });
});

test('a do that says to ask is covered by a question alone, also without a question mark', () => {
  expect(isCovered('Ask about the budget', 'Your budget will like this.', 'en')).toBe(false);
  expect(isCovered('Ask about the budget', 'what is your budget for this', 'en')).toBe(true);
  expect(isCovered('Fragt nach dem Budget', 'wie hoch ist denn ihr budget', 'de')).toBe(true);
});

test('a do that says to tell is covered by a statement alone', () => {
  expect(isCovered('Nennt den Preis', 'Würden Sie 50 Euro dafür bezahlen?', 'de')).toBe(false);
  expect(isCovered('Nennt den Preis', 'Das kostet 50 Euro.', 'de')).toBe(true);
});

test('a case may be written in one language and spoken in the other', () => {
  expect(isCovered('Fragt nach dem Budget', 'How much have you set aside for it?', 'en')).toBe(true);
  expect(isCovered('Agree on a next step', 'Passt Ihnen Dienstag um zehn Uhr?', 'de')).toBe(true);
});

test('what the customer says covers nothing', () => {
  const [found] = covers(['Name the price'], [said('agent', 'So it is 50 dollars a month?'), said('user', 'Yes.')]);
  expect(found).toMatchObject({ covered: false, evidence: [] });
});

test('two sentences in a row cover together what neither does alone, also across the customer’s turn', () => {
  const turns = [
    said('user', 'Good morning!', 1),
    said('agent', 'Hello.', 2),
    said('user', 'My name is Dana Weber from Northlight.', 4),
  ];
  expect(covers(['Greet the customer and introduce yourself'], turns)).toMatchObject([
    {
      covered: true,
      evidence: [
        { quote: 'Good morning!', timeInCallSecs: 1 },
        { quote: 'My name is Dana Weber from Northlight.', timeInCallSecs: 4 },
      ],
    },
  ]);
});

test('the best three sentences are quoted word by word with their times, the same words once', () => {
  const turns = ['It is 20 dollars.', 'It is 20 dollars.', 'Or €30 — with “care”.', '40 dollars!', '50 dollars.'].map(
    (message, index) => said('user', message, index * 10),
  );
  expect(covers(['Name the price'], turns)[0]?.evidence).toEqual([
    { quote: 'It is 20 dollars.', timeInCallSecs: 0 },
    { quote: 'Or €30 — with “care”.', timeInCallSecs: 20 },
    { quote: '40 dollars!', timeInCallSecs: 30 },
  ]);
});

test('three open questions are three different ones', () => {
  const label = 'Stellt mindestens drei offene Fragen';
  const ask = (...questions: string[]) => covers([label], [said('user', questions.join(' '))], 'de')[0]?.covered;
  expect(ask('Was ist Ihnen wichtig?', 'Was ist Ihnen wichtig?', 'Was ist Ihnen wichtig?')).toBe(false);
  expect(ask('Was ist Ihnen wichtig?', 'Wie geht das heute?', 'Haben Sie Zeit?')).toBe(false);
  expect(ask('Was ist Ihnen wichtig?', 'Wie geht das heute?', 'Wer macht das?')).toBe(true);
});

test.each([
  'Nicht unterbrechen',
  'Unterbricht den Kunden nicht',
  'Keine Rabatte versprechen',
  'Freundlich bleiben',
  'Stay calm',
  'Do not interrupt',
  'Never promise a discount',
  'Listen actively',
])('no quote can show «%s», and none is made up for it', (label) => {
  const turns = [said('user', 'I promise you a discount of ten percent. Stay calm, ich bleibe freundlich.')];
  expect(covers([label], turns)).toMatchObject([{ covered: false, decidable: false, evidence: [] }]);
});

test('in a language without rules a do is covered by its own words', () => {
  expect(isCovered('Demander le budget', 'Quel est votre budget pour ce projet ?', 'fr')).toBe(true);
  expect(isCovered('Demander le budget', 'Bonjour et bienvenue !', 'fr')).toBe(false);
});
