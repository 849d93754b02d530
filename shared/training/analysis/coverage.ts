import type { Evidence } from '../call.ts';
import type { TrainingCase } from '../training-case.ts';
import type { Concept } from './concept.ts';
import { type Stem, stemFor, type Wanted, wantedBy } from './labels.ts';
import { isDenied, onlyReports } from './proof.ts';
import { isOpen } from './questions.ts';
import type { Sentence } from './sentences.ts';

export const EVIDENCE_MAX = 3;

/**
 * Half of what a label asks for must be heard, subjects weighing 2 and its other telling words 1, and a subject must be
 * among it; of several that it lists («Bedarf und Budget») more than half. An objection must be met, whatever it is
 * about. Chosen over the examples of `coverage.test.ts`.
 */
const HEARD_MIN = 0.5;
const CONCEPT_WEIGHT = 2;
/** «Kurz zum Budget. Was haben Sie sich vorgestellt?»: a sentence so short says what the question behind it is about. */
const LEAD_IN_WORDS_MAX = 6;
const COMPOUND_LETTERS_MIN = 5;
const COMPOUND_BEGINNING_MIN = 4;
/** «Reparatur» and «repariert»: words that begin alike for so many letters and more than half of the longer one. */
const FORM_LETTERS_MIN = 5;
const FORM_SHARE_MIN = 0.55;

export type Do = TrainingCase['dos'][number];
type Covered = { id: string; label: string; covered: boolean; evidence: Evidence[] };

/** @property decidable whether rules can tell at all, which they can't of «Nicht unterbrechen» or «Freundlich bleiben» */
export type CoveredByRules = Covered & { decidable: boolean };

type Heard = { sentence: Sentence; mask: number };
type Find = { sentences: readonly Sentence[]; weight: number };

/**
 * Which dos the trainee's own words cover, without a model: a do is covered when one sentence, or two in a row, speak of
 * enough of what its label asks for (`HEARD_MIN`). A label's subjects are known by phrases in German and English
 * (`concepts.ts`), its other telling words by their stems, in German within compounds too; where it says to ask, only a
 * question counts, where it says to tell, only a statement. Our own definition. What the customer says never counts.
 *
 * @param sentences the trainee's, in order
 */
export function coverageByRules(
  dos: readonly Do[],
  sentences: readonly Sentence[],
  language: string,
): CoveredByRules[] {
  const stem = stemFor(language);
  return dos.map(({ id, label }) => {
    const wanted = wantedBy(label, stem);
    const finds = wanted.isSayable ? findsOf(wanted, sentences, stem, language) : [];
    const evidence = evidenceOf(finds);
    return { id, label, covered: evidence.length > 0, evidence, decidable: wanted.isSayable };
  });
}

function findsOf(wanted: Wanted, sentences: readonly Sentence[], stem: Stem, language: string): Find[] {
  if (wanted.concepts.length + wanted.stems.length === 0) return questionFinds(wanted, sentences);
  const maskOf = masks(wanted, stem, language);
  const known = new Set<string>();
  const heard = sentences.map((sentence) => {
    // Said again, the same words prove nothing more, also not together with what they then stand beside.
    const isNew = !known.has(sentence.words);
    known.add(sentence.words);
    return { sentence, mask: isNew && !provesNothing(sentence, wanted, stem) ? maskOf(sentence.words) : 0 };
  });
  const windows = wanted.act === 'ask' ? askedIn(wanted, heard) : saidIn(wanted, heard);
  return windows.sort((a, b) => b.weight - a.weight || a.sentences.length - b.sentences.length);
}

/** A statement that denies, or only reports. */
export const provesNothing = ({ words, wordCount, asked }: Sentence, { named }: Wanted, stem: Stem): boolean =>
  !asked && (isDenied(words, wordCount) || onlyReports(words, (word) => named.has(stem(word))));

/** A do that only says to ask, or to ask open questions. */
function questionFinds({ openQuestions }: Wanted, sentences: readonly Sentence[]): Find[] {
  const asked = sentences.filter(({ asked }) => asked);
  const fitting = openQuestions === 0 ? asked : asked.filter(({ words }) => isOpen(words));
  const distinct = new Set(fitting.map(({ words }) => words)).size;
  return distinct < Math.max(1, openQuestions) ? [] : fitting.map((sentence) => ({ sentences: [sentence], weight: 1 }));
}

/** A bit for each subject and each stem of the label that a sentence speaks of. */
function masks({ concepts, stems }: Wanted, stem: Stem, language: string): (words: string) => number {
  const ofWord = new Map<string, number>();
  const wordMask = (word: string): number => {
    const known = ofWord.get(word);
    if (known !== undefined) return known;
    const said = stem(word);
    const mask = stems.reduce((bits, wanted, at) => (isForm(said, wanted, language) ? bits | (1 << at) : bits), 0);
    ofWord.set(word, mask);
    return mask;
  };
  return (words) => {
    let mask = 0;
    if (stems.length > 0) for (const word of words.trim().split(' ')) mask |= wordMask(word);
    concepts.forEach((concept, at) => {
      if (isSaid(concept, words)) mask |= 1 << (stems.length + at);
    });
    return mask;
  };
}

const isSaid = ({ said, with: besides, unless }: Concept, words: string): boolean =>
  said.test(words) && (besides?.test(words) ?? true) && !(unless?.test(words) ?? false);

/** Two forms of a word, or in German a part of a compound. */
export function isForm(said: string, wanted: string, language: string): boolean {
  if (said === wanted) return true;
  if (language !== 'de' && language !== 'en') return false;
  const [short, long] = said.length < wanted.length ? [said, wanted] : [wanted, said];
  if (short.length >= FORM_LETTERS_MIN && long.slice(0, FORM_LETTERS_MIN) === short.slice(0, FORM_LETTERS_MIN)) {
    return sharedLetters(short, long) >= long.length * FORM_SHARE_MIN;
  }
  if (language !== 'de') return false;
  return (
    (short.length >= COMPOUND_LETTERS_MIN && long.includes(short)) || (long === wanted && isBeginning(said, wanted))
  );
}

const isBeginning = (said: string, wanted: string): boolean =>
  said.length >= COMPOUND_BEGINNING_MIN && wanted.startsWith(said);

function sharedLetters(one: string, other: string): number {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared++;
  return shared;
}

/** What the heard weighs, or 0 where it is not enough. */
function weightOf({ concepts, stems, isList }: Wanted, mask: number): number {
  const subjects = bits(mask >> stems.length, concepts.length);
  const isMinor = concepts.every(({ rank }) => rank === 'less');
  const each = isMinor ? 1 : CONCEPT_WEIGHT;
  const weight = bits(mask, stems.length) + each * subjects;
  const isEnough = weight / (stems.length + each * concepts.length) >= HEARD_MIN;
  const subjectsMin = isMinor ? 0 : isList ? Math.floor(concepts.length / 2) + 1 : 1;
  const isMet = concepts.every(({ isObjection }, at) => !isObjection || bits(mask >> (stems.length + at), 1) === 1);
  return isEnough && isMet && subjects >= subjectsMin ? weight : 0;
}

const bits = (mask: number, count: number): number =>
  Array.from({ length: count }, (_, at) => (mask >> at) & 1).reduce((sum, bit) => sum + bit, 0);

/** Questions, each with what a short sentence right before it says it is about. */
function askedIn(wanted: Wanted, heard: readonly Heard[]): Find[] {
  const finds: Find[] = [];
  heard.forEach(({ sentence, mask }, index) => {
    if (!sentence.asked || (wanted.openQuestions > 0 && !isOpen(sentence.words))) return;
    const before = heard[index - 1];
    const isAbout = sentence.follows && before !== undefined && before.sentence.wordCount <= LEAD_IN_WORDS_MAX;
    const weight = weightOf(wanted, isAbout ? mask | before.mask : mask);
    if (weight > 0)
      finds.push({ sentences: isAbout && before.mask !== 0 ? [sentence, before.sentence] : [sentence], weight });
  });
  return finds;
}

/** Sentences, and pairs in a row that say more together than alone; a pair may span two turns of the trainee. */
function saidIn(wanted: Wanted, heard: readonly Heard[]): Find[] {
  const finds: Find[] = [];
  const add = (sentences: readonly Sentence[], mask: number) => {
    const weight = weightOf(wanted, mask);
    if (weight > 0) finds.push({ sentences, weight });
  };
  const counts = ({ sentence, mask }: Heard) => mask !== 0 && (wanted.act !== 'tell' || !sentence.asked);
  heard.forEach((one, index) => {
    if (!counts(one)) return;
    add([one.sentence], one.mask);
    const next = heard[index + 1];
    const together = one.mask | (next?.mask ?? 0);
    if (next === undefined || !counts(next) || together === one.mask || together === next.mask) return;
    add([one.sentence, next.sentence], together);
  });
  return finds;
}

/** The best three sentences, each wording once. */
function evidenceOf(finds: readonly Find[]): Evidence[] {
  const seen = new Set<string>();
  const evidence: Evidence[] = [];
  for (const { turn, start, end, words } of finds.flatMap(({ sentences }) => sentences)) {
    if (evidence.length === EVIDENCE_MAX) break;
    if (seen.has(words)) continue;
    seen.add(words);
    evidence.push({ quote: turn.message.slice(start, end), timeInCallSecs: turn.timeInCallSecs });
  }
  return evidence;
}
