import type { KnownLanguage } from './language.ts';

type FullPointsRange = { fullFrom: number; fullUpTo: number };
/** A value up to `fullUpTo` gets full points, a larger value fewer points, and a value from `noneFrom` on no points. */
export type FallingScale = { fullUpTo: number; noneFrom: number };

const percent = (share: number): string => `${Math.round(share * 100)}`;
const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const count = (number: number, one: string, several: string): string => `${number} ${number === 1 ? one : several}`;

const en = {
  labels: {
    dos: 'Dos covered',
    successCriteria: 'Success criteria',
    talkRatio: 'Listening',
    questionsAsked: 'Questions',
    longestMonologueSecs: 'Dialogue instead of monologue',
    interruptions: 'Letting the customer finish',
  },
  quote: (text: string) => `“${text}”`,
  traineeSilent: 'The trainee said nothing.',
  customerSilent: 'The customer said nothing.',
  proven: (covered: number, of: number) => `${covered} of ${of} dos are proven by quotes.`,
  notProven: (labels: string) => `Not proven: ${labels}.`,
  met: 'A language model judged the success criteria as met and proved it with quotes.',
  notMet: 'A language model found no proof that the success criteria are met.',
  talkRatio: (ratio: number, { fullFrom, fullUpTo }: FullPointsRange) =>
    `The trainee spoke ${percent(ratio)} % of the time. ${percent(fullFrom)} to ${percent(fullUpTo)} % earn full points.`,
  questions: (asked: number, enough: number) =>
    `The trainee asked ${count(asked, 'question', 'questions')}. For the speaking time in this call, ${enough} or more earn full points.`,
  monologue: (seconds: number, { fullUpTo, noneFrom }: FallingScale) =>
    `The trainee spoke for at most ${count(seconds, 'second', 'seconds')} without the customer. ` +
    `Up to ${fullUpTo} seconds earn full points, ${noneFrom} or more earn none.`,
  interruptions: (times: number, { fullUpTo, noneFrom }: FallingScale) =>
    `The trainee interrupted the customer ${count(times, 'time', 'times')}. ` +
    `Full points are given up to ${count(fullUpTo, 'interruption', 'interruptions')}, and none from ${noneFrom} on.`,
  fewCustomerTurns: (turns: number) =>
    `The customer spoke only ${turns === 1 ? 'once' : 'twice'}, so this criterion earns ` +
    `${turns === 1 ? 'a third' : 'two thirds'} of its points.`,
  halfForFewWords: (words: number) =>
    `The trainee said only ${count(words, 'word', 'words')}, so this criterion earns half of its points.`,
  noneForFewWords: (words: number) =>
    `The trainee said only ${count(words, 'word', 'words')}, too few to judge, so this criterion earns no points.`,
  loweredByInjections:
    'What was said to the judge instead of to the customer does not count, which lowers these points.',
  call: (seconds: number, talkRatio: number, questions: number) =>
    `The call took ${clock(seconds)} minutes. The trainee spoke ${percent(talkRatio)} % of the time and ` +
    `asked ${count(questions, 'question', 'questions')}.`,
  mentioned: (covered: number, of: number) => `${covered} of ${of} dos are mentioned.`,
  injections: (turns: number) =>
    `What was said to the judge instead of to the customer (${count(turns, 'turn', 'turns')}) does not count.`,
  provisional:
    'This result is provisional: no language model judged it. The score rates how the conversation was led. ' +
    'A mention does not show that a do was done, and it is open whether the success criteria were met.',
  judged: (met: boolean) =>
    `A language model judged the call. Only what it proved with quotes counts. The success criteria are ${met ? 'met' : 'not met'}.`,
  addition: (quote: string) => `The model adds: ${quote}`,
};

/** The texts of an analysis and score in one language. */
export type Texts = typeof en;

const de: Texts = {
  labels: {
    dos: 'Erfüllte Dos',
    successCriteria: 'Erfolgskriterien',
    talkRatio: 'Zuhören',
    questionsAsked: 'Fragen',
    longestMonologueSecs: 'Dialog statt Monolog',
    interruptions: 'Ausreden lassen',
  },
  quote: (text) => `„${text}“`,
  traineeSilent: 'Der Trainee hat nichts gesagt.',
  customerSilent: 'Die Kundenseite hat nichts gesagt.',
  proven: (covered, of) => `${covered} von ${of} Dos sind durch Zitate belegt.`,
  notProven: (labels) => `Nicht belegt: ${labels}.`,
  met: 'Ein Sprachmodell hält die Erfolgskriterien für erfüllt und hat es mit Zitaten belegt.',
  notMet: 'Ein Sprachmodell hat keinen Beleg dafür gefunden, dass die Erfolgskriterien erfüllt sind.',
  talkRatio: (ratio, { fullFrom, fullUpTo }) =>
    `Der Trainee sprach ${percent(ratio)} % der Zeit; volle Punkte gibt es für ${percent(fullFrom)} bis ${percent(fullUpTo)} %.`,
  questions: (asked, enough) =>
    `Der Trainee stellte ${count(asked, 'Frage', 'Fragen')}; bei der Sprechzeit in diesem Gespräch gibt es volle Punkte ab ${enough}.`,
  monologue: (seconds, { fullUpTo, noneFrom }) =>
    `Der Trainee sprach höchstens ${count(seconds, 'Sekunde', 'Sekunden')} ohne die Kundenseite; bis ${fullUpTo} ` +
    `gibt es volle Punkte, ab ${noneFrom} keine.`,
  interruptions: (times, { fullUpTo, noneFrom }) =>
    `Der Trainee unterbrach die Kundenseite ${times}-mal; bis ${fullUpTo} gibt es volle Punkte, ab ${noneFrom} keine.`,
  fewCustomerTurns: (turns) =>
    `Die Kundenseite kam nur ${turns === 1 ? 'einmal' : 'zweimal'} zu Wort, deshalb gibt es dafür ` +
    `${turns === 1 ? 'ein Drittel' : 'zwei Drittel'} der Punkte.`,
  halfForFewWords: (words) =>
    `Der Trainee sagte nur ${count(words, 'Wort', 'Wörter')}, deshalb gibt es dafür die Hälfte der Punkte.`,
  noneForFewWords: (words) =>
    `Der Trainee sagte nur ${count(words, 'Wort', 'Wörter')}, deshalb gibt es dafür keine Punkte.`,
  loweredByInjections:
    'Was sich an die Bewertung statt an die Kundenseite richtete, zählt nicht und senkt dieses Ergebnis.',
  call: (seconds, talkRatio, questions) =>
    `Das Gespräch dauerte ${clock(seconds)} Minuten; der Trainee sprach ${percent(talkRatio)} % der Zeit und ` +
    `stellte ${count(questions, 'Frage', 'Fragen')}.`,
  mentioned: (covered, of) => `${covered} von ${of} Dos sind erwähnt.`,
  injections: (turns) =>
    `Was sich an die Bewertung statt an die Kundenseite richtete (${count(turns, 'Redebeitrag', 'Redebeiträge')}), zählt nicht.`,
  provisional:
    'Dieses Ergebnis ist vorläufig: Kein Sprachmodell hat es beurteilt. ' +
    'Die Punkte bewerten die Gesprächsführung; eine Erwähnung zeigt nicht, dass ein Do erfüllt ist, ' +
    'und ob die Erfolgskriterien erfüllt sind, ist offen.',
  judged: (met) =>
    'Ein Sprachmodell hat das Gespräch beurteilt, und nur was es mit Zitaten belegt, zählt: ' +
    `Die Erfolgskriterien sind ${met ? 'erfüllt' : 'nicht erfüllt'}.`,
  addition: (quote) => `Das Modell ergänzt: ${quote}`,
};

export const TEXTS: Record<KnownLanguage, Texts> = { de, en };
