import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as german } from '@orama/stemmers/german';
import { CONCEPTS, type Concept } from './concepts.ts';
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
  /** So many open questions; 0: it is not about those. */
  openQuestions: number;
  /** Whether words can show it at all: «Nicht unterbrechen» and «Freundlich bleiben» no quote can. */
  isSayable: boolean;
};

const ASK = phrases(
  'frag*|erfrag*|nachfrag*|hinterfrag*|abfrag*|erkundig*|ermittel*|klär*|find* .. heraus|herausfind*|herauszufind*|eruier*|qualifizier*|erforsch*|rückfrag*|bedarfsanalyse|bedarfsermittlung|ask*|inquir*|enquir*|find* out|finding out|clarif*|explor*|discover*|identif*|prob*|uncover*|determin*|qualif*|elicit*|question*|learn*|check* (?:if|whether)|understand*|discovery',
);
const ANSWERS = phrases('beantwort*|antwort*|answer*|respond*|klär* .. auf|klär* .. über|aufklär*');
const TELL = phrases(
  'nenn*|erklär*|erläuter*|erwähn*|beschreib*|zeig*|präsentier*|stell* .. dar|begründ*|informier*|hinweis*|weis* .. hin|aufzeig*|mention*|explain*|describ*|stat*|present*|show*|tell*|point* out|highlight*|quantif*|communicat*|position*|name|names|naming',
);
const OPEN_QUESTION = phrases('(?:offene|open|open ended|w) .. (?:frage*|question*)');
const NOT_DOING = phrases(
  'nicht|nie|niemals|kein*|ohne|vermeid*|verzicht*|unterlass*|don t|do not|never|avoid*|without|refrain*|no',
);
const NOT_DOING_FROM_WORDS = 3;

/** Who a do is about, what saying is called, how it is to be done, and when: no words of a subject. */
const GENERIC = phrases(
  'kund*|gesprächspartner*|interessent*|käufer*|gegenüber|anrufer*|trainee*|verkäufer*|berater*|person*|firma|unternehmen*|customer*|client*|prospect*|buyer*|caller*|lead|leads|rep|seller*|salesperson|company|team|konkret*|klar|klare*|klarer*|deutlich*|aktiv*|freundlich*|höflich*|herzlich*|professionell*|kurz*|knapp*|mindestens|wenigstens|einmal|zweimal|anfang*|beginn*|ende|schluss|gespräch*|telefonat*|anruf*|sinnvoll*|passend*|individuell*|gezielt*|proaktiv*|offen|offene*|verbindlich*|ehrlich*|ruhig*|gelassen*|sachlich*|geduldig*|respektvoll*|souverän*|selbstbewusst*|sicher|open|ended|überzeugend*|begeister*|zuhör*|hör*|zu|bleib*|wirk*|clear*|specific*|concret*|brief*|polite*|friendl*|warm*|profession*|proactiv*|active*|listen*|calm*|patient*|confiden*|respectful*|empathetic*|enthusias*|stay*|remain*|sound*|least|once|twice|start*|begin*|end|call|calls|conversation|proper*|appropriate*|relevant*|personal*|natural*|positiv*|good|gut|gute*|guten|richtig*|early|früh*|direkt*|direct*|größte*|wichtigste*|main|key|biggest|top|tatsächlich*|genau*|exact*|nenn*|erklär*|erläuter*|erwähn*|beschreib*|zeig*|präsentier*|stell*|dar|geb*|gib*|mach*|sprech*|spricht|sprich*|ansprech*|anzusprech*|biet*|anbiet*|anzubiet*|geh*|eingeh*|reagier*|behand*|weis*|hin|hinweis*|sag*|führ*|nimm*|nehm*|sammel*|hol*|ein|vor|vereinbar*|schlag*|vorschlag*|festleg*|leg*|fest|fixier*|sicher*|vereinbaren|abstimm*|entkräft*|aufgreif*|greif*|bring*|setz*|verwend*|nutzt|benutz*|begründ*|präzis*|mention*|explain*|describ*|stat*|present*|show*|tell*|point*|out|highlight*|offer*|provid*|give*|make*|use*|uses|handl*|address*|respond*|deal*|agree*|propos*|suggest*|arrang*|schedul*|book*|set|sets|secur*|confirm*|bestätig*|establish*|build*|creat*|communicat*|answer*|beantwort*|antwort*|discuss*|talk*|speak*|say*|name|names|raise*|bring*|includ*|ensur*|try|versuch*|take*|get*|convey*|express*|ausdrück*|drück*|frage*|question*|thema|topic*|punkt*|point|details?|information*|wissen|art|about|regarding|bezüglich|hinsichtlich|possible|möglich*|mögliche*|anderen|andere*|other*|each|every|sie|ihn',
);

const NUMBERS: Record<string, number> = { zwei: 2, two: 2, drei: 3, three: 3, vier: 4, four: 4, fünf: 5, five: 5 };
const STEMS_MAX = 20;
const CONCEPTS_MAX = 8;

export type Stem = (word: string) => string;

/** Words of other languages are compared as they are. */
export function stemFor(language: string): Stem {
  const stem = { de: german, en: english }[language];
  return stem === undefined ? (word) => word : (word) => (word.length > 2 ? stem(word) : word);
}

/** What a do's label asks for. */
export function wantedBy(label: string, stem: Stem): Wanted {
  const words = wordsOf(label);
  const text = spaced(words);
  const named = CONCEPTS.map((concept) => concept()).filter((one) => one.named.test(text));
  const concepts = (named.some(({ isWeak }) => !isWeak) ? named.filter(({ isWeak }) => !isWeak) : named).slice(
    0,
    CONCEPTS_MAX,
  );
  const rest = named.reduce((left, one) => left.replaceAll(new RegExp(one.named, 'gu'), ' '), text);
  const telling = rest.split(' ').filter(isTelling);
  const ask = ASK.test(text) && !ANSWERS.test(text);
  const openQuestions = OPEN_QUESTION.test(text) ? numberIn(words) : 0;
  const stems = [...new Set(telling.filter((word) => !ASK.test(` ${word} `)).map(stem))].slice(0, STEMS_MAX);
  return {
    act: ask ? 'ask' : TELL.test(text) ? 'tell' : 'say',
    concepts,
    stems,
    openQuestions,
    isSayable: !isNotDoing(words) && (concepts.length > 0 || stems.length > 0 || ask),
  };
}

const isTelling = (word: string): boolean =>
  word.length > 1 && !FUNCTION_WORDS.de.has(word) && !FUNCTION_WORDS.en.has(word) && !GENERIC.test(` ${word} `);

/** «Keinen Rabatt anbieten», «Unterbricht den Kunden nicht»; a negation amid («fragt, was nicht läuft») is a subject. */
function isNotDoing(words: readonly string[]): boolean {
  return NOT_DOING.test(spaced(words.slice(0, NOT_DOING_FROM_WORDS))) || words.at(-1) === 'nicht';
}

function numberIn(words: readonly string[]): number {
  const found = words.map((word) => NUMBERS[word] ?? Number(word)).find((number) => number > 1 && number < 20);
  return found ?? 1;
}
