import { expect, test } from 'vitest';
import { traineeSentences } from '../../../../shared/training/analysis/sentences.ts';
import type { Example } from './evaluation.ts';
import { isCovered } from './evaluation.ts';

const NOTHING: readonly (readonly [language: string, ...Example])[] = [
  ['en', 'Mention the warranty', 'I will not mention the warranty today.', false],
  ['en', 'Mention the warranty', 'There is no warranty.', false],
  ['en', 'Mention the warranty', 'We do not talk about the warranty, my boss does that.', false],
  ['en', 'Listen to the complaint and apologise', 'I am not going to apologise for that.', false],
  ['en', 'Listen to the complaint and apologise', 'You will be sorry.', false],
  ['en', 'Explain the cancellation period', 'We do not talk about what happens if you cancel.', false],
  ['de', 'Die Garantie erwähnen', 'Die Garantie werde ich heute nicht erwähnen.', false],
  ['de', 'Die Garantie erwähnen', 'Eine Garantie gibt es da nicht.', false],
  ['de', 'Eine Alternative anbieten', 'Eine Alternative gibt es da nicht.', false],
  ['de', 'Die Kündigungsfrist erklären', 'Über das Kündigen reden wir nicht.', false],
  ['de', 'Um eine Empfehlung bitten', 'Ich kann Ihnen das Premiumpaket nur empfehlen.', false],
  ['en', 'Quantify the benefit in money', 'I am quantifying the benefit in money.', false],
  ['en', 'Quantify the benefit in money', 'Now I quantify the benefit in money.', false],
  ['en', 'Quantify the benefit in money', 'I hereby quantify the benefit in money.', false],
  ['en', 'Agree on a concrete next step', 'I am agreeing on a concrete next step.', false],
  ['de', 'Den Nutzen erklären', 'Jetzt erkläre ich den Nutzen.', false],
  ['de', 'Den Nutzen in Euro vorrechnen', 'Hiermit rechne ich den Nutzen in Euro vor.', false],
];

const DONE: readonly (readonly [language: string, ...Example])[] = [
  ['en', 'Agree on a date for the next meeting', "Why don't we meet on Thursday at ten?", true],
  ['en', 'Offer a trial month', 'You can try it for a month with no obligation.', true],
  ['en', 'Offer a trial month', 'There is no obligation, it is a free trial.', true],
  ['en', 'Offer a trial month', 'I offer you a trial month.', true],
  ['en', 'Mention the warranty', 'You will not find a longer warranty anywhere.', true],
  ['en', 'Mention the warranty', 'We have a warranty.', true],
  ['en', 'Name the price', 'I can not give you a lower price than 50 dollars.', true],
  ['en', 'Explain the cancellation period', 'There is no minimum term, you can cancel any month.', true],
  ['en', 'Listen to the complaint and apologise', 'I apologise for the delay.', true],
  ['en', 'Listen to the complaint and apologise', 'I am so sorry that this happened to you.', true],
  ['en', 'Thank the customer', 'Thank you.', true],
  ['en', 'Find out who decides', 'Is there anybody else who has a say in this?', true],
  ['en', 'Ask for a recommendation', 'Do you know someone who might need this too?', true],
  ['de', 'Einen Termin vereinbaren', 'Was spricht dagegen, dass wir uns am Donnerstag um zehn treffen?', true],
  ['de', 'Einen Termin vereinbaren', 'Kein Problem, wir treffen uns am Montag um neun.', true],
  ['de', 'Die Garantie erwähnen', 'Sie bekommen nicht nur fünf Jahre, sondern zehn Jahre Garantie.', true],
  ['de', 'Herausfinden, wer mitentscheidet', 'Wer redet bei Ihnen noch mit?', true],
  ['de', 'Nach dem bisherigen Anbieter fragen', 'Bei welchem Versorger sind Sie?', true],
  ['de', 'Um eine Empfehlung bitten', 'Kennen Sie jemanden, für den das auch etwas wäre?', true],
];

test.each(NOTHING)('%s: «%s» is not covered by denying or announcing it: %s', (language, label, said) =>
  expect(isCovered(label, said, language)).toBe(false),
);

test.each(DONE)('%s: «%s» is covered, whatever is denied besides: %s', (language, label, said) =>
  expect(isCovered(label, said, language)).toBe(true),
);

test.each(
  [
    'Agree on a date for the next meeting',
    'Agree on a date for the next step',
    'Name the next step and a date',
    'Agree on a concrete next step',
  ].flatMap((label) =>
    [
      'Does Thursday at ten suit you?',
      'I will see you on Friday at nine then.',
      'Let us meet on Monday, 3 May, at ten.',
      'Shall we meet on Wednesday at six?',
    ].map((said) => [label, said] as const),
  ),
)('«%s» is covered by a date that is proposed: %s', (label, said) => expect(isCovered(label, said, 'en')).toBe(true));

test.each(['What we can do is look at the rate.', 'What I would like us to reach today: a plan.'])(
  'a statement that begins with an interrogative is no question: %s',
  (message) =>
    expect(traineeSentences([{ role: 'user', message, timeInCallSecs: 0 }], 'en')).toMatchObject([{ asked: false }]),
);
