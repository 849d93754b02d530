import type { KnownLanguage } from './language.ts';

export type CriterionId =
  | 'dos'
  | 'successCriteria'
  | 'talkRatio'
  | 'questionsAsked'
  | 'longestMonologueSecs'
  | 'interruptions';

type Range = { from: number; to: number };
/** @property met null: no model judged the call */
type SummaryFigures = Record<'seconds' | 'talkRatio' | 'questions' | 'covered' | 'of' | 'injections', number> & {
  met: boolean | null;
  llmSummary: string | undefined;
};

/** All sentences of an analysis. */
export type Texts = {
  labels: Record<CriterionId, string>;
  silent: { trainee: string; customer: string };
  dos(covered: number, of: number, missing: readonly string[]): string;
  met(met: boolean): string;
  talkRatio(ratio: number, full: Range): string;
  questions(asked: number, enough: number): string;
  monologue(seconds: number, limits: Range): string;
  interruptions(count: number, limits: Range): string;
  fewCustomerTurns(turns: number): string;
  fewWords(words: number, some: number): string;
  loweredByInjections: string;
  summary(figures: SummaryFigures): string;
};

const percent = (share: number): string => `${Math.round(share * 100)}`;
const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const count = (number: number, one: string, several: string): string => `${number} ${number === 1 ? one : several}`;
const joined = (...sentences: (string | false | undefined)[]): string => sentences.filter(Boolean).join(' ');

const en: Texts = {
  labels: {
    dos: 'Dos covered',
    successCriteria: 'Success criteria',
    talkRatio: 'Listening',
    questionsAsked: 'Questions',
    longestMonologueSecs: 'Dialogue instead of monologue',
    interruptions: 'Letting the customer finish',
  },
  silent: { trainee: 'The trainee said nothing.', customer: 'The customer said nothing.' },
  dos: (covered, of, missing) =>
    joined(
      `${covered} of ${of} dos are proven by quotes.`,
      missing.length > 0 && `Not proven: ${missing.map((label) => `“${label}”`).join(', ')}.`,
    ),
  met: (met) =>
    met
      ? 'A language model judged the success criteria as met and proved it with quotes.'
      : 'A language model found no proof that the success criteria are met.',
  talkRatio: (ratio, { from, to }) =>
    `The trainee spoke ${percent(ratio)} % of the time; full points are for ${percent(from)} to ${percent(to)} %.`,
  questions: (asked, enough) =>
    `The trainee asked ${count(asked, 'question', 'questions')}; ${enough} are full points in a call of this length.`,
  monologue: (seconds, { from, to }) =>
    `The trainee spoke for at most ${count(seconds, 'second', 'seconds')} without the customer; ` +
    `up to ${from} are full points, from ${to} there are none.`,
  interruptions: (times, { from, to }) =>
    `The trainee interrupted the customer ${count(times, 'time', 'times')}; ` +
    `up to ${count(from, 'time', 'times')} there are full points, from ${to} there are none.`,
  fewCustomerTurns: (turns) =>
    `The customer spoke only ${turns === 1 ? 'once, so this brings a third' : 'twice, so this brings two thirds'} of its points.`,
  fewWords: (words, some) =>
    `The trainee said only ${count(words, 'word', 'words')}, ` +
    `${words < some ? 'too few to tell, so this brings no points' : 'so this brings half of its points'}.`,
  loweredByInjections: 'What was said to the judge instead of to the customer does not count, which lowers this.',
  summary: ({ seconds, talkRatio, questions, covered, of, injections, met, llmSummary }) =>
    joined(
      `The call took ${clock(seconds)} minutes; the trainee spoke ${percent(talkRatio)} % of the time ` +
        `and asked ${count(questions, 'question', 'questions')}.`,
      `${covered} of ${of} dos are ${met === null ? 'mentioned' : 'proven by quotes'}.`,
      injections > 0 &&
        `What was said to the judge instead of to the customer (${count(injections, 'turn', 'turns')}) does not count.`,
      met === null
        ? 'This result is provisional: no language model judged it. The score rates how the conversation was led; ' +
            'a mention does not show that a do was done, and whether the success criteria were met is open.'
        : `A language model judged the call, and only what it proved with quotes counts: ` +
            `the success criteria are ${met ? 'met' : 'not met'}.`,
      llmSummary && `The model adds: “${llmSummary}”`,
    ),
};

const de: Texts = {
  labels: {
    dos: 'Erfüllte Dos',
    successCriteria: 'Erfolgskriterien',
    talkRatio: 'Zuhören',
    questionsAsked: 'Fragen',
    longestMonologueSecs: 'Dialog statt Monolog',
    interruptions: 'Ausreden lassen',
  },
  silent: { trainee: 'Der Trainee hat nichts gesagt.', customer: 'Die Kundenseite hat nichts gesagt.' },
  dos: (covered, of, missing) =>
    joined(
      `${covered} von ${of} Dos sind durch Zitate belegt.`,
      missing.length > 0 && `Nicht belegt: ${missing.map((label) => `„${label}“`).join(', ')}.`,
    ),
  met: (met) =>
    met
      ? 'Ein Sprachmodell hält die Erfolgskriterien für erfüllt und hat es mit Zitaten belegt.'
      : 'Ein Sprachmodell hat keinen Beleg dafür gefunden, dass die Erfolgskriterien erfüllt sind.',
  talkRatio: (ratio, { from, to }) =>
    `Der Trainee sprach ${percent(ratio)} % der Zeit; volle Punkte gibt es für ${percent(from)} bis ${percent(to)} %.`,
  questions: (asked, enough) =>
    `Der Trainee stellte ${count(asked, 'Frage', 'Fragen')}; bei dieser Gesprächslänge gibt es volle Punkte für ${enough}.`,
  monologue: (seconds, { from, to }) =>
    `Der Trainee sprach höchstens ${count(seconds, 'Sekunde', 'Sekunden')} ohne die Kundenseite; ` +
    `bis ${from} gibt es volle Punkte, ab ${to} keine.`,
  interruptions: (times, { from, to }) =>
    `Der Trainee unterbrach die Kundenseite ${times}-mal; bis ${from} gibt es volle Punkte, ab ${to} keine.`,
  fewCustomerTurns: (turns) =>
    `Die Kundenseite kam nur ${turns === 1 ? 'einmal' : 'zweimal'} zu Wort, ` +
    `deshalb gibt es dafür ${turns === 1 ? 'ein Drittel' : 'zwei Drittel'} der Punkte.`,
  fewWords: (words, some) =>
    `Der Trainee sagte nur ${count(words, 'Wort', 'Wörter')}, deshalb gibt es dafür ${words < some ? 'keine' : 'die Hälfte der'} Punkte.`,
  loweredByInjections:
    'Was sich an die Bewertung statt an die Kundenseite richtete, zählt nicht und senkt dieses Ergebnis.',
  summary: ({ seconds, talkRatio, questions, covered, of, injections, met, llmSummary }) =>
    joined(
      `Das Gespräch dauerte ${clock(seconds)} Minuten; der Trainee sprach ${percent(talkRatio)} % der Zeit ` +
        `und stellte ${count(questions, 'Frage', 'Fragen')}.`,
      `${covered} von ${of} Dos sind ${met === null ? 'erwähnt' : 'durch Zitate belegt'}.`,
      injections > 0 &&
        `Was sich an die Bewertung statt an die Kundenseite richtete ` +
          `(${count(injections, 'Redebeitrag', 'Redebeiträge')}), zählt nicht.`,
      met === null
        ? 'Dieses Ergebnis ist vorläufig: Kein Sprachmodell hat es beurteilt. Die Punkte bewerten die Gesprächsführung; ' +
            'eine Erwähnung zeigt nicht, dass ein Do erfüllt ist, und ob die Erfolgskriterien erfüllt sind, ist offen.'
        : `Ein Sprachmodell hat das Gespräch beurteilt, und nur was es mit Zitaten belegt, zählt: ` +
            `Die Erfolgskriterien sind ${met ? 'erfüllt' : 'nicht erfüllt'}.`,
      llmSummary && `Das Modell ergänzt: „${llmSummary}“`,
    ),
};

export const TEXTS: Record<KnownLanguage, Texts> = { de, en };
