import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as german } from '@orama/stemmers/german';
import type { Concept } from './concept.ts';
import { CONCEPTS } from './concepts.ts';
import { FUNCTION_WORDS } from './function-words.ts';
import { phrases } from './phrases.ts';
import { spaced, wordsOf } from './words.ts';

/**
 * - `ask`: the trainee is to ask, so only a question shows it
 * - `tell`: the trainee is to state something, so a question does not show it
 * - `say`: either does
 */
type Act = 'ask' | 'tell' | 'say';

/** What has to be heard for a do to be covered. */
export type Wanted = {
  act: Act;
  concepts: readonly Concept[];
  /** The other telling words of the label, by their stems. */
  stems: readonly string[];
  /** All its words by their stems. */
  named: ReadonlySet<string>;
  /** Whether it names subjects side by side («Bedarf und Budget»), so that one does not do. */
  isList: boolean;
  /** So many open questions; 0: it is not about those. */
  openQuestions: number;
  /** Whether words can show it at all: «Nicht unterbrechen» and «Freundlich bleiben» no quote can. */
  isSayable: boolean;
};

const ASK = phrases(
  'frag*|(?!an)\\S*fragen?|erfrag*|nachfrag*|hinterfrag*|abfrag*|erkundig*|ermittel*|klär*|find* .. heraus|herausfind*|herauszufind*|eruier*|qualifizier*|erforsch*|rückfrag*|bedarfsanalyse|bedarfsermittlung|ask*|inquir*|enquir*|find* out|finding out|clarif*|explor*|discover*|identif*|prob(?:e|es|ing)|uncover*|determin*|qualif*|elicit*|question*|learn*|check* (?:if|whether)|understand*|discovery',
);
const ANSWERS = phrases('beantwort*|antwort*|answer*|respond*|klär* .. auf|klär* .. über|aufklär*');
const TELL = phrases(
  'nenn*|erklär*|erläuter*|erwähn*|beschreib*|zeig*|präsentier*|stell* .. dar|begründ*|informier*|hinweis*|weis* .. hin|aufzeig*|mention*|explain*|describ*|stat*|present*|show*|tell*|point* out|highlight*|quantif*|communicat*|position*|name|names|naming',
);
/** A date is as well named by asking whether it suits. */
const DATE = phrases('nächst* schritt*|termin*|folgetermin*|datum|next step*|dates?|appointment*|meeting*');
const OPEN_QUESTION = phrases('(?:offene|open|open ended|w) .. (?:frage*|question*)');
const NOT_DOING = phrases('nicht|nie|niemals|kein*|vermeid*|verzicht*|unterlass*|don t|do not|never|avoid*|refrain*');
const NOT_DOING_FROM_WORDS = 3;

/** Who a do is about, what saying is called, how it is to be done, and when: no words of a subject. */
const GENERIC = phrases(
  'kunden?|kundin|kundinnen|kundenseite|gesprächspartner*|interessent*|käufer*|gegenüber|anrufer*|trainee*|verkäufer*|berater*|person*|firma|unternehmen*|customer*|client*|prospect*|buyer*|caller*|lead|leads|rep|seller*|salesperson|company|team|konkret*|klar|klare*|klarer*|deutlich*|aktiv*|freundlich*|höflich*|herzlich*|professionell*|kurz*|knapp*|mindestens|wenigstens|einmal|zweimal|anfang*|beginn*|ende|schluss|gespräch*|telefonat*|anruf*|sinnvoll*|passend*|individuell*|gezielt*|proaktiv*|offen|offene*|verbindlich*|ehrlich*|ruhig*|gelassen*|sachlich*|geduldig*|respektvoll*|souverän*|selbstbewusst*|sicher|open|ended|überzeugend*|begeister*|zuhör*|hör*|zu|bleib*|wirk*|clear*|specific*|concret*|brief*|polite*|friendl*|warm*|profession*|proactiv*|active*|listen*|calm*|patient*|confiden*|respectful*|empathetic*|enthusias*|stay*|remain*|sound*|least|once|twice|start*|begin*|end|call|calls|conversation|proper*|appropriate*|relevant*|follow|personal*|natural*|positiv*|good|gut|gute*|guten|richtig*|early|früh*|direkt*|direct*|größte*|wichtigste*|main|key|biggest|top|tatsächlich*|genau*|exact*|nenn*|erklär*|erläuter*|erwähn*|beschreib*|zeig*|präsentier*|stell*|dar|geb*|gib*|mach*|sprech*|spricht|sprich*|ansprech*|anzusprech*|biet*|anbiet*|anzubiet*|geh*|eingeh*|reagier*|behand*|weis*|hin|hinweis*|sag*|führ*|nimm*|nehm*|sammel*|hol*|ein|vor|vereinbar*|schlag*|schläg*|vorschlag*|festleg*|leg*|fest|fixier*|sicher*|vereinbaren|abstimm*|entkräft*|aufgreif*|greif*|bring*|setz*|verwend*|nutzt|benutz*|begründ*|präzis*|mention*|explain*|describ*|stat*|present*|show*|tell*|point*|out|highlight*|offer*|provid*|give*|make*|use*|uses|handl*|address*|respond*|deal*|agree*|propos*|suggest*|arrang*|schedul*|book*|set|sets|secur*|confirm*|bestätig*|establish*|build*|creat*|communicat*|answer*|beantwort*|antwort*|discuss*|talk*|speak*|say*|name|names|raise*|bring*|includ*|ensur*|try|versuch*|take*|get*|convey*|express*|ausdrück*|drück*|frage*|question*|thema|topic*|punkt*|point|details?|information*|wissen|art|about|regarding|bezüglich|hinsichtlich|works?|working|funktion*|läuft|possible|möglich*|mögliche*|anderen|andere*|other*|each|every|sie|ihn',
);

/** What is not to be said, or said another time: «Nutzen statt Merkmale», «nach dem Bedarf fragen, bevor …». */
const ASIDE =
  /(?<= \S+ )(?:bevor|ehe|nachdem|erst nach|statt|anstatt|anstelle|ohne|before|only after|instead of|rather than|without) .*$/u;
const AND = phrases('und|sowie|and');
const NUMBERS: Record<string, number> = { zwei: 2, two: 2, drei: 3, three: 3, vier: 4, four: 4, fünf: 5, five: 5 };
const GERMAN =
  /[äöüß]|(?:^|\s)(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|und|sich|nach|auf|für|mit|zum|zur|was|wie|wer)(?=\s|$)/iu;
const CAPITAL_WITHIN = /[\p{L}\p{N},]\s\p{Lu}/u;
const IRREGULAR: Record<string, string> = Object.assign(Object.create(null), {
  ...{
    heard: 'hear',
    told: 'tell',
    sold: 'sell',
    bought: 'buy',
    paid: 'pay',
    spent: 'spend',
    found: 'find',
    chose: 'choose',
  },
  ...{ chosen: 'choose', spoke: 'speak', went: 'go', sent: 'send', thought: 'think', built: 'build', grew: 'grow' },
});
const STEMS_MAX = 20;
const CONCEPTS_MAX = 8;

export type Stem = (word: string) => string;

/** Words of other languages are compared as they are. */
export function stemFor(language: string): Stem {
  const stem = { de: german, en: (word: string) => english(IRREGULAR[word] ?? word) }[language];
  return stem === undefined ? (word) => word : (word) => (word.length > 2 ? stem(word) : word);
}

/** What a do's label asks for. */
export function wantedBy(label: string, stem: Stem): Wanted {
  const words = wordsOf(label);
  const text = spaced(words).replace(ASIDE, ' ');
  const act = actIn(text);
  const named = CONCEPTS.map((concept) => concept()).filter((one) => one.named.test(text));
  const concepts = subjectsOf(named, act);
  const rest = named.reduce((left, one) => left.replaceAll(new RegExp(one.named, 'gu'), ' '), text).split(' ');
  const openQuestions = OPEN_QUESTION.test(text) ? numberIn(words) : 0;
  const telling = rest
    .filter(isTelling)
    .filter((word) => !ASK.test(` ${word} `) && !isVerb(word, words))
    .filter((word) => openQuestions === 0 || numberIn([word]) === 1);
  const things = telling.filter((word) => isThing(word, label));
  const stems = (concepts.length > 0 || things.length > 0 ? things : telling).map(stem);
  const isAbout = concepts.length > 0 || stems.length > 0 || act === 'ask';
  return {
    ...{ act, concepts, openQuestions, isList: AND.test(text), stems: [...new Set(stems)].slice(0, STEMS_MAX) },
    named: new Set(words.map(stem)),
    isSayable: isAbout && !isNotDoing(words),
  };
}

function actIn(text: string): Act {
  if (ASK.test(text) && !ANSWERS.test(text)) return 'ask';
  return TELL.test(text) && !DATE.test(text) ? 'tell' : 'say';
}

function subjectsOf(named: readonly Concept[], act: Act): Wanted['concepts'] {
  const whole = named.filter(({ rank }) => rank === 'whole');
  const equal = named.filter(({ rank }) => rank === 'equal');
  const [subjects = []] = [whole, equal, named].filter(({ length }) => length > 0);
  const isOpenTo = act === 'ask' || named.some(({ isObjection }) => isObjection);
  return subjects
    .slice(0, CONCEPTS_MAX)
    .map((one) => (isOpenTo && one.asked !== undefined ? { ...one, said: one.asked } : one));
}

/** A label begins with its verb («Betont die Lieferung», “Recommend the package”), which nobody says. */
function isVerb(word: string, [first, second = '']: readonly string[]): boolean {
  return (
    word === first && (FUNCTION_WORDS.de.has(second) || FUNCTION_WORDS.en.has(second) || GENERIC.test(` ${second} `))
  );
}

/** German writes what a label is about with a capital; without any («fragt nach dem alter») every word can be it. */
function isThing(word: string, label: string): boolean {
  if (!GERMAN.test(label) || !CAPITAL_WITHIN.test(label)) return true;
  const written = label.split(/[^\p{L}\p{M}\p{N}]+/u).find((one) => one.toLowerCase() === word);
  return written !== undefined && /^[\p{Lu}\p{N}]/u.test(written);
}

const isTelling = (word: string): boolean =>
  word.length > 1 && !FUNCTION_WORDS.de.has(word) && !FUNCTION_WORDS.en.has(word) && !GENERIC.test(` ${word} `);

/** «Keinen Rabatt anbieten», «Unterbricht den Kunden nicht»; a negation amid («fragt, was nicht läuft») is a subject. */
function isNotDoing(words: readonly string[]): boolean {
  const [first = ''] = words;
  return (
    NOT_DOING.test(spaced(words.slice(0, NOT_DOING_FROM_WORDS))) ||
    ['no', 'ohne', 'without'].includes(first) ||
    words.at(-1) === 'nicht'
  );
}

function numberIn(words: readonly string[]): number {
  const found = words.map((word) => NUMBERS[word] ?? Number(word)).find((number) => number > 1 && number < 20);
  return found ?? 1;
}
