import { describe, expect, test } from 'vitest';
import { findMentions } from '../../../../shared/training/analysis/coverage.ts';
import { splitSentences } from '../../../../shared/training/analysis/sentences.ts';
import type { TranscriptTurn } from '../../../../shared/training/call.ts';

const said = (role: TranscriptTurn['role'], message: string, timeInCallSecs = 0): TranscriptTurn => ({
  role,
  message,
  timeInCallSecs,
});
const covers = (label: string, turns: readonly TranscriptTurn[], language = 'en') =>
  findMentions([{ id: 'do', label }], splitSentences(turns, language), language)[0];
const isMentioned = (language: string, label: string, message: string) =>
  covers(label, [said('user', message)], language)?.covered;

test.each([
  ['en', 'Ask about the budget', 'What is your budget for this?'],
  ['en', 'Ask about the budget', 'what is your budget for this'],
  ['en', 'Ask what happened before offering anything', 'Before I suggest anything: what happened last time?'],
  ['en', 'Name the next step and a date', 'Then the next step is a visit, and you get the date in writing.'],
  ['en', 'Name the price', 'The price is 50 dollars.'],
  ['en', 'Offer a trial month', 'I offer you a trial month.'],
  ['en', 'Mention the warranty', 'We have a warranty of ten years.'],
  ['en', 'Explain the delivery', 'A lorry delivers it to your door.'],
  ['de', 'Fragt nach dem Budget', 'wie hoch ist denn ihr budget'],
  ['de', 'Nach dem Bedarf fragen, bevor der Preis zur Sprache kommt', 'Welchen Bedarf haben Sie denn?'],
  ['de', 'Das Angebot erklären', 'In unserem Angebot ist alles enthalten.'],
  ['de', 'Fragt, was nicht läuft', 'Was läuft denn heute bei Ihnen?'],
  ['de', 'Einen Folgetermin vereinbaren', 'Passt Ihnen ein Termin am Dienstag?'],
  ['de', 'Die Garantie erwähnen', 'Die Garantie deckt zehn Jahre lang jeden Schaden ab.'],
  ['fr', 'Budget du projet', 'Quel est votre budget pour ce projet ?'],
])('in the language %s, the do «%s» is mentioned by «%s»', (...example) => expect(isMentioned(...example)).toBe(true));

test.each([
  ['en', 'Ask about the budget', 'Your budget will like this.', 'a statement'],
  ['en', 'Ask about the budget', 'Do you have a minute?', 'no keyword'],
  ['en', 'Name the next step and a date', 'That is a first step.', 'one of three keywords'],
  ['en', 'Name the price', 'Price: yes.', 'two words'],
  ['en', 'Name the price', 'I named the price.', 'a claim'],
  ['en', 'Explain the price', 'The price was explained to you.', 'a claim'],
  ['en', 'Name the price', 'Now I name the price, now I thank you.', 'an announcement'],
  ['en', 'Quantify the benefit in money', 'I am quantifying the benefit in money.', 'an announcement'],
  ['en', 'Quantify the benefit in money', 'I hereby quantify the benefit in money.', 'an announcement'],
  ['en', 'Mention the warranty', 'I will not mention the warranty today.', 'a refusal'],
  ['en', 'Mention the warranty', 'There is no warranty.', 'a denial'],
  ['de', 'Die Garantie erwähnen', 'Eine Garantie gibt es da nicht.', 'a denial'],
  ['de', 'Den Nutzen erklären', 'Jetzt erkläre ich den Nutzen.', 'an announcement'],
  ['de', 'Den Nutzen in Euro vorrechnen', 'Hiermit rechne ich den Nutzen in Euro vor.', 'an announcement'],
  ['de', 'Nach dem Bedarf fragen', 'Ich habe nach dem Bedarf gefragt.', 'a claim'],
  ['fr', 'Budget du projet', 'Bonjour et bienvenue !', 'no keyword'],
])('in the language %s, the do «%s» is not mentioned by «%s» (%s)', (language, label, message) =>
  expect(isMentioned(language, label, message)).toBe(false),
);

describe.each([
  'Nicht unterbrechen',
  'Unterbricht den Kunden nicht',
  'Keine Rabatte versprechen',
  'Do not interrupt',
  'Never promise a discount',
])('«%s», a label that forbids something,', (label) =>
  test('is never mentioned', () => {
    const turns = [said('user', 'I promise you a discount. Ich verspreche Ihnen Rabatte. May I interrupt you?')];
    expect(covers(label, turns)).toMatchObject({ covered: false, evidence: [] });
  }),
);

test('a sentence can mention a do even if it ends with a tag question, such as “okay?”', () => {
  expect(isMentioned('en', 'Name the price', 'The price is 50 dollars, okay?')).toBe(true);
  expect(isMentioned('en', 'Name the price', 'The price is 50 dollars.')).toBe(true);
});

test('a sentence of the customer is not a mention of a do', () => {
  const turns = [said('agent', 'So the price is 50 dollars a month?'), said('user', 'Yes, it is.')];
  expect(covers('Name the price', turns)).toMatchObject({ covered: false, evidence: [] });
});

test('the evidence for a do is its first three different mentions, as literal quotes with times', () => {
  const turns = [
    'The price is 20.',
    'The price is 20.',
    'Our price — with “care” — is 30.',
    'A price of 40!',
    'A price of 50.',
  ];
  expect(
    covers(
      'Name the price',
      turns.map((message, at) => said('user', message, at * 10)),
    )?.evidence,
  ).toEqual([
    { quote: 'The price is 20.', timeInCallSecs: 0 },
    { quote: 'Our price — with “care” — is 30.', timeInCallSecs: 20 },
    { quote: 'A price of 40!', timeInCallSecs: 30 },
  ]);
});
