import type { KnownLanguage } from './language.ts';

export type CriterionId = 'dos' | 'successCriteria' | 'talkRatio' | 'questionsAsked' | 'longestMonologueSecs';

type DosFigures = { covered: number; of: number; missing: readonly string[]; undecidable: readonly string[] };
type Range = { from: number; to: number };
type SummaryFigures = {
  seconds: number;
  talkRatio: number;
  questions: number;
  covered: number;
  of: number;
  undecidable: number;
  appeals: number;
  judgedBy: 'rules' | 'model';
  met: boolean | null;
  /** A judge's own words. */
  judge: string | undefined;
};

/** All that an analysis says in words. */
export type Texts = {
  labels: Record<CriterionId, string>;
  nothingSaid: { trainee: string; customer: string };
  dos(figures: DosFigures): string;
  met(met: boolean): string;
  talkRatio(ratio: number, full: Range): string;
  questions(asked: number, enough: number): string;
  monologue(seconds: number, limits: Range): string;
  /** Behind the reason of a criterion that counts only in part. */
  fewCustomerTurns(turns: number): string;
  /** Behind the reason of a criterion that has fewer points because turns speak to the judge. */
  loweredByAppeals: string;
  /** @param some from so many words on it counts half */
  fewWords(words: number, some: number): string;
  summary(figures: SummaryFigures): string;
};

const percent = (share: number): string => `${Math.round(share * 100)}`;
const minutes = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

const en: Texts = {
  labels: {
    dos: 'Dos covered',
    successCriteria: 'Success criteria',
    talkRatio: 'Listening',
    questionsAsked: 'Questions',
    longestMonologueSecs: 'Dialogue instead of monologue',
  },
  nothingSaid: { trainee: 'The trainee said nothing.', customer: 'The customer said nothing.' },
  dos: ({ covered, of, missing, undecidable }) => {
    const quoted = (labels: readonly string[]) => labels.map((label) => `“${label}”`).join(', ');
    const proven = of === 0 ? 'No quote can show any of the dos.' : `${covered} of ${of} dos are proven by quotes.`;
    const rest = missing.length > 0 ? ` Not found: ${quoted(missing)}.` : '';
    return `${proven}${rest}${of > 0 && undecidable.length > 0 ? ` Left out, because no quote can show it: ${quoted(undecidable)}.` : ''}`;
  },
  met: (met) =>
    met
      ? 'A language model judged the success criteria as met and proved it with quotes.'
      : 'A language model judged the success criteria as not met and proved it with quotes.',
  talkRatio: (ratio, { from, to }) =>
    `The trainee spoke ${percent(ratio)} % of the time; full points are for ${percent(from)} to ${percent(to)} %.`,
  questions: (asked, enough) =>
    `The trainee asked ${asked} ${asked === 1 ? 'question' : 'questions'}; ${enough} are full points in a call of this length.`,
  monologue: (seconds, { from, to }) =>
    `The trainee spoke for at most ${seconds} ${seconds === 1 ? 'second' : 'seconds'} without the customer; up to ${from} are full points, from ${to} there are none.`,
  fewCustomerTurns: (turns) =>
    `The customer spoke only ${turns === 1 ? 'once, so this brings a third' : 'twice, so this brings two thirds'} of its points.`,
  loweredByAppeals: 'What was said to the judge instead of to the customer does not count, which lowers this.',
  fewWords: (words, some) =>
    words < some
      ? `The trainee said only ${words} ${words === 1 ? 'word' : 'words'}, too few to tell, so this brings no points.`
      : `The trainee said only ${words} words, so this brings half of its points.`,
  summary: (figures) => {
    const { seconds, talkRatio, questions, covered, of, undecidable, appeals, judgedBy, met, judge } = figures;
    return [
      `The call took ${minutes(seconds)} minutes; the trainee spoke ${percent(talkRatio)} % of the time and asked ${questions} ${questions === 1 ? 'question' : 'questions'}.`,
      `${covered} of ${of} dos are proven by quotes${undecidable > 0 ? `, ${undecidable} can be shown by no quote` : ''}${appeals > 0 ? `; what was said to whoever judges instead of to the customer (${appeals} ${appeals === 1 ? 'turn' : 'turns'}) does not count` : ''}.`,
      judgedBy === 'rules'
        ? 'This result is provisional: it was judged by fixed rules without a language model, so whether the success criteria were met is open.'
        : `A language model took part, and only what it proved with quotes counts: the success criteria are ${met === null ? 'open' : met ? 'met' : 'not met'}.`,
      ...(judge === undefined ? [] : [`The model adds: “${judge}”`]),
    ].join(' ');
  },
};

const de: Texts = {
  labels: {
    dos: 'Erfüllte Dos',
    successCriteria: 'Erfolgskriterien',
    talkRatio: 'Zuhören',
    questionsAsked: 'Fragen',
    longestMonologueSecs: 'Dialog statt Monolog',
  },
  nothingSaid: { trainee: 'Der Trainee hat nichts gesagt.', customer: 'Die Kundenseite hat nichts gesagt.' },
  dos: ({ covered, of, missing, undecidable }) => {
    const quoted = (labels: readonly string[]) => labels.map((label) => `„${label}“`).join(', ');
    const proven =
      of === 0
        ? 'Keines der Dos lässt sich durch ein Zitat zeigen.'
        : `${covered} von ${of} Dos sind durch Zitate belegt.`;
    const rest = missing.length > 0 ? ` Nicht gefunden: ${quoted(missing)}.` : '';
    return `${proven}${rest}${of > 0 && undecidable.length > 0 ? ` Ohne Wertung, weil kein Zitat es zeigen kann: ${quoted(undecidable)}.` : ''}`;
  },
  met: (met) =>
    met
      ? 'Ein Sprachmodell hält die Erfolgskriterien für erfüllt und hat es mit Zitaten belegt.'
      : 'Ein Sprachmodell hält die Erfolgskriterien für nicht erfüllt und hat es mit Zitaten belegt.',
  talkRatio: (ratio, { from, to }) =>
    `Der Trainee sprach ${percent(ratio)} % der Zeit; volle Punkte gibt es für ${percent(from)} bis ${percent(to)} %.`,
  questions: (asked, enough) =>
    `Der Trainee stellte ${asked} ${asked === 1 ? 'Frage' : 'Fragen'}; bei dieser Gesprächslänge gibt es volle Punkte für ${enough}.`,
  monologue: (seconds, { from, to }) =>
    `Der Trainee sprach höchstens ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} ohne die Kundenseite; bis ${from} gibt es volle Punkte, ab ${to} keine.`,
  fewCustomerTurns: (turns) =>
    `Die Kundenseite kam nur ${turns === 1 ? 'einmal zu Wort, deshalb gibt es dafür ein Drittel' : 'zweimal zu Wort, deshalb gibt es dafür zwei Drittel'} der Punkte.`,
  loweredByAppeals:
    'Was sich an die Bewertung statt an die Kundenseite richtete, zählt nicht und senkt dieses Ergebnis.',
  fewWords: (words, some) =>
    words < some
      ? `Der Trainee sagte nur ${words} ${words === 1 ? 'Wort' : 'Wörter'}, zu wenig zum Beurteilen, deshalb gibt es dafür keine Punkte.`
      : `Der Trainee sagte nur ${words} Wörter, deshalb gibt es dafür die Hälfte der Punkte.`,
  summary: (figures) => {
    const { seconds, talkRatio, questions, covered, of, undecidable, appeals, judgedBy, met, judge } = figures;
    return [
      `Das Gespräch dauerte ${minutes(seconds)} Minuten; der Trainee sprach ${percent(talkRatio)} % der Zeit und stellte ${questions} ${questions === 1 ? 'Frage' : 'Fragen'}.`,
      `${covered} von ${of} Dos sind durch Zitate belegt${undecidable > 0 ? `, ${undecidable} kann kein Zitat zeigen` : ''}${appeals > 0 ? `; was sich an die Bewertung statt an die Kundenseite richtete (${appeals} ${appeals === 1 ? 'Redebeitrag' : 'Redebeiträge'}), zählt nicht` : ''}.`,
      judgedBy === 'rules'
        ? 'Dieses Ergebnis ist vorläufig: Es wurde nach festen Regeln ohne Sprachmodell beurteilt; ob die Erfolgskriterien erfüllt sind, bleibt deshalb offen.'
        : `Ein Sprachmodell hat mitgeurteilt, und nur was es mit Zitaten belegt, zählt: Die Erfolgskriterien sind ${met === null ? 'offen' : met ? 'erfüllt' : 'nicht erfüllt'}.`,
      ...(judge === undefined ? [] : [`Das Modell ergänzt: „${judge}“`]),
    ].join(' ');
  },
};

export const TEXTS: Record<KnownLanguage, Texts> = { de, en };
