import type { CallToAnalyse } from '../../../../shared/training/analysis/analyse-transcript.ts';
import type { TranscriptTurn } from '../../../../shared/training/call.ts';
import { aTrainingCase } from '../../../support/training/calls.ts';

/** A turn as `[speaker, words]`. The speaker is `t` for the trainee, and `c` for the simulated customer. */
export type Said = readonly ['t' | 'c', string];

const WORDS_A_SECOND = 2.5;

/** Returns the turns with times, and the duration of the call, for a speed of 150 words per minute. */
export function turnsOf(said: readonly Said[]): { turns: TranscriptTurn[]; durationSeconds: number } {
  let at = 0;
  const turns = said.map(([speaker, message]): TranscriptTurn => {
    const timeInCallSecs = at;
    at += Math.max(1, Math.round(message.split(' ').length / WORDS_A_SECOND));
    return { role: speaker === 't' ? 'user' : 'agent', message, timeInCallSecs };
  });
  return { turns, durationSeconds: at };
}

export const CASES = {
  en: aTrainingCase({
    situation: 'The customer runs a bakery and has a cheaper offer.',
    objective: 'Agree on a visit.',
    successCriteria: 'The customer agrees to a visit on a certain day.',
    dos: [
      { id: 'greeting', label: 'Greet the customer and introduce yourself' },
      { id: 'needs', label: 'Ask what the customer needs' },
      { id: 'price', label: 'Name the price' },
      { id: 'objection', label: 'Handle the price objection' },
      { id: 'next', label: 'Agree on a next step' },
    ],
  }),
  de: aTrainingCase({
    situation: 'Die Kundin führt eine Bäckerei und hat ein billigeres Angebot.',
    objective: 'Einen Besuch vereinbaren.',
    successCriteria: 'Die Kundin sagt einem Besuch an einem bestimmten Tag zu.',
    dos: [
      { id: 'greeting', label: 'Begrüßt die Kundin und stellt sich vor' },
      { id: 'needs', label: 'Fragt nach dem Bedarf' },
      { id: 'price', label: 'Nennt den Preis' },
      { id: 'objection', label: 'Geht auf den Preiseinwand ein' },
      { id: 'next', label: 'Vereinbart einen nächsten Schritt' },
    ],
  }),
};

const GOOD: Record<'de' | 'en', readonly Said[]> = {
  en: [
    ['c', 'Summer Bakery, good morning.'],
    ['t', 'Good morning, my name is Dana Weber from Northlight Ovens. Is this a good time?'],
    ['c', 'I have five minutes, then the bread has to come out. What is it about?'],
    ['t', 'Thanks. You asked about new ovens last week. What matters most to you in a new oven?'],
    [
      'c',
      'It has to be quick in the morning and it must not use so much power, because power has become very dear here.',
    ],
    ['t', 'I see. How much do you bake on a usual day, and how old is the oven you have now?'],
    ['c', 'About four hundred loaves, and the oven is more than fifteen years old, it was my father’s.'],
    ['t', 'Then our smaller model fits. It costs 8,900 dollars, and it saves you about a third of the power.'],
    ['c', 'That is a lot of money. I have an offer here that is two thousand cheaper.'],
    ['t', 'I understand that the price feels high at first. What would the cheaper one use in power each year?'],
    ['c', 'I do not know, to be honest. Nobody has told me that.'],
    ['t', 'Let us work that out together. Could I come by on Thursday at three and measure it with you?'],
    ['c', 'Thursday at three is fine, the shop is quiet then. Bring the figures with you, please.'],
    ['t', 'I will. Thank you for your time, and see you on Thursday.'],
  ],
  de: [
    ['c', 'Bäckerei Sommer, guten Morgen.'],
    ['t', 'Guten Morgen, mein Name ist Dana Weber von Nordlicht Öfen. Passt es Ihnen gerade?'],
    ['c', 'Ich habe fünf Minuten, dann muss das Brot aus dem Ofen. Worum geht es denn?'],
    ['t', 'Danke. Sie haben letzte Woche nach neuen Öfen gefragt. Was ist Ihnen bei einem neuen Ofen wichtig?'],
    [
      'c',
      'Er muss morgens schnell heiß sein und darf nicht so viel Strom brauchen, der ist bei uns sehr teuer geworden.',
    ],
    ['t', 'Verstehe. Wie viel backen Sie an einem normalen Tag, und wie alt ist Ihr Ofen jetzt?'],
    ['c', 'Ungefähr vierhundert Brote, und der Ofen ist mehr als fünfzehn Jahre alt, der war noch von meinem Vater.'],
    ['t', 'Dann passt unser kleineres Modell. Es kostet 8.900 Euro und spart Ihnen etwa ein Drittel vom Strom.'],
    ['c', 'Das ist viel Geld. Ich habe hier ein Angebot, das ist zweitausend Euro billiger.'],
    [
      't',
      'Ich kann verstehen, dass der Preis erst einmal hoch klingt. Was würde der andere im Jahr an Strom brauchen?',
    ],
    ['c', 'Das weiß ich ehrlich gesagt nicht. Das hat mir keiner gesagt.'],
    ['t', 'Das rechnen wir zusammen aus. Darf ich am Donnerstag um drei Uhr vorbeikommen und es mit Ihnen messen?'],
    ['c', 'Donnerstag um drei ist gut, da ist im Laden wenig los. Bringen Sie die Zahlen bitte mit.'],
    ['t', 'Das mache ich. Danke für Ihre Zeit und bis Donnerstag.'],
  ],
};

const POOR: Record<'de' | 'en', readonly Said[]> = {
  en: [
    ['c', 'Summer Bakery. What is it about?'],
    ['t', 'Um, so this is about, uh, ovens, our ovens are really the best ones, you know.'],
    ['c', 'I have a cheaper offer on the table already, and I have little time today.'],
    ['t', 'Well, ours is the better one, that much is clear, basically everybody says so.'],
    ['c', 'They all say that. Anything else? The bread is waiting.'],
    ['t', 'No, not really.'],
  ],
  de: [
    ['c', 'Bäckerei Sommer. Worum geht es denn?'],
    ['t', 'Ähm, ja, es geht um, äh, Öfen, unsere Öfen sind halt wirklich die besten.'],
    ['c', 'Ich habe schon ein billigeres Angebot auf dem Tisch, und heute habe ich wenig Zeit.'],
    ['t', 'Na ja, unserer ist halt der bessere, das ist doch klar, das sagen eigentlich alle.'],
    ['c', 'Das sagen alle. Noch etwas? Das Brot wartet.'],
    ['t', 'Nein, eigentlich nicht.'],
  ],
};

export const SAID = { good: GOOD, poor: POOR };

export const aCall = (language: 'de' | 'en', said: readonly Said[], changed: Partial<CallToAnalyse> = {}) => ({
  trainingCase: CASES[language],
  interruptions: null,
  ...turnsOf(said),
  ...changed,
});
