import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as german } from '@orama/stemmers/german';
import type { Analysis, Evidence } from '../call.ts';
import type { TrainingCase } from '../training-case.ts';
import { isFunctionWord } from './language.ts';
import { isOfTrainee, type Sentence } from './sentences.ts';
import { wordsOf } from './words.ts';

export type DoCoverage = Analysis['dos'][number];

export const EVIDENCE_MAX = 3;
/** A shorter sentence, such as «Price: yes.», is not a mention of a do. */
const MENTION_WORDS_MIN = 3;
const FORM_LETTERS_MIN = 5;

/** Creates a pattern for words that begin with one of the given beginnings. `$` marks the end of the word. */
const beginsWith = (beginnings: string) => new RegExp(`^(?:${beginnings.replaceAll(' ', '|')})`);

const ASKING = beginsWith(
  'ask$ asks$ asking$ inquir enquir find$ finds$ finding$ clarif explor discover identif determin uncover ' +
    'frag erfrag nachfrag erkundig ermittel klär herausfind',
);
const TELLING = beginsWith(
  'name$ named$ names$ naming$ mention explain describ state$ states$ stating$ show$ shows$ showing$ tell$ tells$ telling$ ' +
    'quantif present$ presents$ presenting$ propos nenn erklär erläuter erwähn beschreib zeigt$ zeigen$ rechne$ rechnet$ ' +
    'rechnen$ vorrechn präsentier vorschlag schläg',
);
/**
 * Words in labels that are not keywords: words for speakers («customer») or manner («clear»), frequent verbs («agree»),
 * and separated prefixes of German verbs («auf»).
 */
const GENERIC = beginsWith(
  'customer client prospect kund trainee salesperson verkäufer gesprächspartner concret konkret clear klar brief kurz$ ' +
    'least mindestens vereinbar agree auf$ ein$ vor$ aus$ an$ ab$',
);
/**
 * Matches the end of a label if this end says what to avoid or to postpone: «Ask what happened before offering
 * anything», «Nennt Nutzen statt Merkmale». At least two words must remain before this end.
 */
const ASIDE = /(?<=\S \S+ )(?:bevor|ehe|nachdem|statt|anstatt|ohne|before|after|instead of|rather than|without) .*$/;
const FORBIDDING =
  /^(?!frag|ask|find)(?:\S+ ){0,2}(?:not|don|never|no|avoid|nicht|nie|niemals|kein\S*|vermeid\S*|ohne|without) | nicht $/;
const NEGATION = / (?:not|don|won|isn|no|never|nicht|nie|kein\S*) /;
/** Words with which speakers claim that they did something, or announce that they will do it. */
const REPORT = new RegExp(
  ' (?:asked|explained|named|mentioned|proposed|agreed|quantified|hereby|pretend|' +
    'gefragt|erklärt|genannt|erwähnt|vorgeschlagen|vereinbart|vorgerechnet|hiermit) ',
);

type Stem = (word: string) => string;
type Label = { isForbidding: boolean; isAsking: boolean; keywords: readonly string[] };

/**
 * Extracts the stems of the keywords from the label of a do. If the label is about asking, only a question can mention
 * the do. If the label forbids something, no sentence can mention the do.
 */
function parseLabel(label: string, stem: Stem): Label {
  const text = ` ${wordsOf(label).join(' ')} `;
  const words = text.replace(ASIDE, ' ').trim().split(' ');
  const keywords = words
    .filter((word) => word.length > 1 && !isFunctionWord(word) && !GENERIC.test(word))
    .filter((word) => !ASKING.test(word) && !TELLING.test(word))
    .map(stem);
  return {
    isForbidding: FORBIDDING.test(text.slice(1)),
    isAsking: words.some((word) => ASKING.test(word)),
    keywords: [...new Set(keywords)],
  };
}

/** Words in languages other than German and English are compared unchanged. */
const stemmerOf = (language: string): Stem =>
  language === 'de' ? german : language === 'en' ? english : (word) => word;

/**
 * Finds where the trainee mentioned each do. Without a model, `covered` means "mentioned". A mention contains more than
 * half of the label's keywords, but does not show that the trainee did what the label says.
 */
export function findMentions(dos: TrainingCase['dos'], sentences: readonly Sentence[], language: string): DoCoverage[] {
  const stem = stemmerOf(language);
  const byWording = Map.groupBy(sentences.filter(canMention), ({ wording }) => wording);
  const candidates = [...byWording].flatMap(([wording, [sentence]]) =>
    sentence === undefined ? [] : [{ sentence, stems: new Set(wording.trim().split(' ').map(stem)) }],
  );
  return dos.map(({ id, label }) => {
    const { isForbidding, isAsking, keywords } = parseLabel(label, stem);
    const isMention = ({ sentence, stems }: (typeof candidates)[number]) =>
      (sentence.isQuestion || !isAsking) &&
      keywords.filter((keyword) => isSaid(keyword, stems, language)).length > keywords.length / 2;
    const mentions = isForbidding || keywords.length === 0 ? [] : candidates.filter(isMention).slice(0, EVIDENCE_MAX);
    return { id, label, covered: mentions.length > 0, evidence: mentions.map(({ sentence }) => evidenceOf(sentence)) };
  });
}

export const evidenceOf = ({ turn, text }: Sentence): Evidence => ({
  quote: text,
  timeInCallSecs: turn.timeInCallSecs,
});

const canMention = (sentence: Sentence): boolean =>
  isOfTrainee(sentence) &&
  sentence.wordCount >= MENTION_WORDS_MIN &&
  (sentence.isQuestion || !(NEGATION.test(sentence.wording) || isReport(sentence.wording)));

/** Whether a statement only says that its speaker does or did something («now I explain the price»). */
function isReport(wording: string): boolean {
  const words = wording.trim().split(' ');
  const isActing = (word: string | undefined) => word !== undefined && (ASKING.test(word) || TELLING.test(word));
  const isFirstPerson = (word: string) => ['i', 'we', 'ich', 'wir'].includes(word);
  return (
    REPORT.test(wording) ||
    words.some((word, at) => isFirstPerson(word) && [at - 1, at + 1, at + 2].some((near) => isActing(words[near])))
  );
}

/**
 * Whether the trainee said the keyword or another form of it («delivery», «delivers»). Two stems are forms of one word
 * if the longer begins with the shorter. In German, the longer only has to contain the shorter, because of compounds.
 * The shorter stem must have at least `FORM_LETTERS_MIN` letters.
 */
function isSaid(keyword: string, stems: ReadonlySet<string>, language: string): boolean {
  if (stems.has(keyword)) return true;
  const isForm = (long: string, short: string) =>
    short.length >= FORM_LETTERS_MIN && (language === 'de' ? long.includes(short) : long.startsWith(short));
  return [...stems].some((stem) => isForm(stem, keyword) || isForm(keyword, stem));
}
