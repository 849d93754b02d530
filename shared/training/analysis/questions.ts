import type { KnownLanguage } from './language.ts';
import { phrases } from './phrases.ts';

const MARKED = /[?？؟]["'”’“»)\]\s]*$/u;

/** Said to hear whether the other is still there, or to keep the floor: they ask for nothing. */
const EMPTY = new Set(
  ' hallo | ja | okay | ok | bitte | wie bitte | nicht wahr | oder | hm | mhm | gut | genau | alles klar | hello | hi | yes | yeah | right | really | sorry | pardon | what | huh | alright | you there | are you there | can you hear me | hören sie mich '
    .split('|')
    .map((words) => ` ${words.trim()} `),
);
const TAG = phrases(
  'oder|oder nicht|nicht wahr|ne|nicht|gell|stimmt s|richtig|right|correct|okay|ok|yeah|isn t it|aren t they|don t you|aren t you|doesn t it|won t it|yes',
);
const TAG_LONGEST = 16;

const LEAD_IN =
  /^ (?:(?:und|also|okay|ok|ja|gut|dann|aber|so|denn|nun|naja|äh|ähm|genau|prima|super|noch|kurz|sagen|mal|and|well|now|alright|great|um|uh|but|then|herr \S+|frau \S+|mr \S+|mrs \S+|ms \S+) ){1,4}/u;

/** Interrogatives at a sentence's beginning; a pronoun right behind a German one makes it a clause («was ich meine, …»). */
const BEGINS: Record<KnownLanguage, readonly RegExp[]> = {
  de: [
    /^ (?:(?:in|mit|von|bei|für|aus|auf|seit|bis|zu|ab|um|an|über) )?(?:wie ?viele?|wie (?:oft|lange|hoch|groß|alt|teuer|schnell|weit|genau|wichtig|gut|zufrieden)|welche[mnrs]?|wen|wem|wann|warum|wieso|weshalb|wozu|wofür|womit|woran|worauf|wobei|wodurch|worin|wovon|inwiefern|inwieweit|woher|wohin) (?!immer )/u,
    /^ (?:was|wie|wer|wo) (?!ich |wir |sie |er |es |man |du |ihr |uns |mich |mir |das |der |die |den |gesagt |immer |auch |schon |soeben |oben |zum |bei |im |vereinbart |besprochen |versprochen |gewohnt |viel )/u,
    /^ (?:haben|sind|können|könnten|möchten|wollen|würden|dürfen|hätten|wären|kennen|hatten|waren|werden) (?:sie|ihr|ihre|wir nicht|denn) (?!vielen |herzlichen |vertrauen |keine |bitte |so )/u,
    /^ (?:ist|war|wäre|gibt|passt|geht|läuft|hat|kann|könnte|klingt|reicht|stimmt|hilft) (?:das|es|ihnen|ihr|ihre|ihren|der|die|dies|dieser|denn) /u,
    /^ (?:darf|soll|sollte) ich |^ (?:wollen|sollen|sollten) wir |^ (?:ist|sind|haben) ihnen /u,
  ],
  en: [
    /^ (?:(?:in|for|by|with|at|on|from|since) )?(?:what|who|where|why|when|how) (?:(?!i |we |you |they |he |she |it |that |there |this )\S+ )?(?:is|are|was|were|do|does|did|can|could|would|will|should|have|has|had|might|must) /u,
    /^ (?:what|who|how|where) (?:s|re|about) |^ how (?:many|much|often|long|big|large|soon|important|well|far|old|satisfied|happy) |^ (?:which|whose|what) (?!i |we |you |they |he |she |it |that |there |this )\S+ (?:\S+ )?(?:is|are|do|does|did|would|have|has|can|could|will) /u,
    /^ (?:do|does|did|are|is|was|were|can|could|would|will|should|have|has|had|may|shall) (?:you|i|we|it|they|he|she|that|this|there|your|anyone|somebody|someone|now) /u,
  ],
};

/** Who asks to be told asks, if not in a question's form. */
const INVITES: Record<KnownLanguage, RegExp> = {
  de: phrases(
    'mich interessier*|mich würde .. interessier*|würde mich interessier*|ich würde .. (?:wissen|erfahren|verstehen|fragen)|ich möchte .. (?:wissen|erfahren|verstehen|fragen)|ich wüsste .. gern*|erzählen sie|beschreiben sie|schildern sie|sagen sie mir|darf ich .. fragen|verraten sie',
  ),
  en: phrases(
    'tell me .. (?:about|what|how|why|who|when|where)|walk me through|talk me through|help me understand|describe (?:your|the|how|to me)|i d (?:like|love) to (?:know|understand|hear|learn)|i m curious|i was wondering|may i ask|can i ask|could i ask|share .. with me',
  ),
};

const OPEN = phrases(
  'was|wie|wer|wen|wem|warum|wieso|weshalb|wozu|wofür|womit|woran|worauf|wobei|wodurch|worin|wovon|welche*|inwiefern|inwieweit|wo|wohin|woher|wann|what|how|why|who|where|when|which',
);
const CLOSED_QUANTITY = phrases(
  'how many|how much|how often|how long|wie viele|wie viel|wieviele|wieviel|wie oft|wie lange',
);

const isKnown = (language: string): language is KnownLanguage => language === 'de' || language === 'en';

/**
 * Whether a sentence is a real question. By its question mark, in any language, or, since speech-to-text does not always
 * set one, by a German or English interrogative beginning, or by asking to be told. A statement with a tag («…, oder?»,
 * “…, right?”) is none, nor is a sound that only asks whether the other still listens. Our own definition.
 */
export function isAsked(said: string, words: string, language: string): boolean {
  const marked = MARKED.test(said);
  if (EMPTY.has(words)) return false;
  if (!isKnown(language)) return marked;
  const begins = beginsAsQuestion(words, language);
  if (INVITES[language].test(words)) return true;
  return marked ? begins || !endsWithTag(words) : begins;
}

/** Whether a question can't be answered with yes, no, or a number. */
export const isOpen = (words: string): boolean =>
  (OPEN.test(words) && !CLOSED_QUANTITY.test(words)) || INVITES.de.test(words) || INVITES.en.test(words);

function beginsAsQuestion(words: string, language: KnownLanguage): boolean {
  const bare = words.replace(LEAD_IN, ' ');
  return BEGINS[language].some((begins) => begins.test(words) || begins.test(bare));
}

/** The whole of a short sentence can be no tag: «Richtig?» is one of the empty ones, «Warum nicht?» begins as a question. */
function endsWithTag(words: string): boolean {
  const end = words.slice(-TAG_LONGEST);
  const tag = TAG.exec(end.slice(Math.max(0, end.indexOf(' '))));
  return tag !== null && tag.index + tag[0].length === end.slice(Math.max(0, end.indexOf(' '))).length - 1;
}
