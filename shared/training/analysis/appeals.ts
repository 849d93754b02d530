import type { TranscriptTurn } from '../call.ts';
import type { TrainingCase } from '../training-case.ts';
import { APPEALS, MARKUP, SPELT } from './appeal-patterns.ts';
import { META } from './meta-patterns.ts';
import { unmasked } from './unmasked.ts';
import { spaced } from './words.ts';

/** What a call is judged by: whoever says it word by word recites it. */
export type Judged = Pick<TrainingCase, 'dos' | 'successCriteria'>;

const WORD_CHARACTERS_MAX = 40;
const END = '.';
const RECITED_WORDS_MIN = 2;
/** What stands around a recited do without making a sentence of it. */
const AROUND = new Set(
  'do dos label covered done check checked erledigt erfullt abgehakt punkt nummer number point item and und then dann i did ich habe yes ja ok okay please bitte the trainee der die has hat that this is das ist also next erstens zweitens drittens first second third 1 2 3 4 5 6 7 8 9 10'.split(
    ' ',
  ),
);
/** A do that speaks to somebody can be meant for the customer: «Danke für Ihre Zeit». */
const ADDRESSES = / (?:you|your|yours|we|i|my|us|ihnen|ihre|ihr|wir|ich|uns) /;

/**
 * The turns that speak to whoever judges the call instead of to the customer, or read out what it is judged by: they
 * prove nothing, no judge sees them, and they can only lower a score. A whole turn counts as one, since what its
 * sentences say apart may be harmless. Our own lists of patterns (`appeal-patterns.ts`), German and English mixed, over
 * the text as it reads, however it is spelt. Also the customer's turns: a trainee can have things repeated.
 */
export function appealsIn(turns: readonly TranscriptTurn[], judged?: Judged): ReadonlySet<TranscriptTurn> {
  const labels = (judged === undefined ? [] : [...judged.dos.map(({ label }) => label), judged.successCriteria])
    .map((label) => plainWords(unmasked(label).text))
    .filter((words) => words.length >= RECITED_WORDS_MIN && !ADDRESSES.test(spaced(words)))
    .map(spaced);
  return new Set(turns.filter(({ message }) => isAppeal(message, labels)));
}

function isAppeal(message: string, labels: readonly string[]): boolean {
  const { text, spelt } = unmasked(message);
  if (SPELT.test(spelt) || MARKUP.some((mark) => mark.test(text))) return true;
  const words = spaced(plainWords(text.replace(/(?<![.!?])[.!?]{1,20}(?=\s|$)/g, ` ${END} `)));
  return [...APPEALS, ...META].some((appeal) => appeal.test(words)) || recites(text, labels);
}

const plainWords = (text: string): string[] =>
  (text.match(/[a-z0-9]+|%|[^ -~\s]+|(?<= )\.(?= )/g) ?? []).map((word) => word.slice(0, WORD_CHARACTERS_MAX));

/** A sentence that is nothing but dos, or a whole turn that has two of them word by word. */
function recites(text: string, labels: readonly string[]): boolean {
  if (labels.length === 0) return false;
  const whole = spaced(plainWords(text));
  const recited = labels.filter((label) => whole.includes(label));
  if (recited.length === 0) return false;
  return recited.length > 1 || text.split(/[.!?:;\n]/).some((sentence) => isOnly(sentence, recited));
}

function isOnly(sentence: string, labels: readonly string[]): boolean {
  const words = spaced(plainWords(sentence));
  const rest = labels.reduce((left, label) => left.replaceAll(label, ' '), words);
  return rest !== words && rest.split(' ').every((word) => word === '' || AROUND.has(word));
}
