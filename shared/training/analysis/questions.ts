import type { KnownLanguage } from './language.ts';
import { multilineRegExp } from './words.ts';

/**
 * Returns a pattern that matches phrases in spaced words (see `spaced`). In `list`, `|` separates the phrases, `*`
 * matches any part of a word, `_` one word, and `..` up to four words.
 */
function phrases(list: string): RegExp {
  const alternatives = list.replaceAll('*', '\\S*').replaceAll(' .. ', ' (?:\\S+ ){0,4}?').replaceAll('_', '\\S+');
  return multilineRegExp(` (?:${alternatives})(?= )`, 'u');
}

const MARKED = /[?？؟]["'”’“»)\]\s]*$/u;

/**
 * Sentences that only check whether the other speaker listens, or that keep the conversation going. They ask for
 * nothing.
 */
const EMPTY = new Set(
  (
    'hallo | ja | okay | ok | bitte | wie bitte | nicht wahr | oder | hm | mhm | gut | genau | alles klar | hello | ' +
    'hi | yes | yeah | right | really | sorry | pardon | what | huh | alright | you there | are you there | ' +
    'can you hear me | hören sie mich'
  )
    .split('|')
    .map((words) => ` ${words.trim()} `),
);
const TAG = phrases(
  `oder|oder nicht|nicht wahr|ne|nicht|gell|stimmt s|richtig|right|correct|okay|ok|yeah|isn t it|aren t they|don t you|
  aren t you|doesn t it|won t it|yes`,
);
const TAG_CHARACTERS_MAX = 16;

const LEAD_IN = multilineRegExp(
  String.raw`^ (?:(?:und|also|okay|ok|ja|gut|dann|aber|so|denn|nun|naja|äh|ähm|genau|prima|super|noch|kurz|sagen|mal|
    and|well|now|alright|great|um|uh|but|then|herr \S+|frau \S+|mr \S+|mrs \S+|ms \S+) ){1,4}`,
  'u',
);

const PRONOUN = '(?:i|we|you|they|he|she|it|that|there|this)';
const beginning = (pattern: string): RegExp => multilineRegExp(`^ ${pattern} `, 'u');

/**
 * Question words and verbs at the beginning of a question. A question word before a pronoun usually begins a clause,
 * which is not a question («was ich meine, …»).
 */
const BEGINS: Record<KnownLanguage, readonly RegExp[]> = {
  de: [
    beginning(`(?:(?:in|mit|von|bei|für|aus|auf|seit|bis|zu|ab|um|an|über) )?(?:wie ?viele?|
      wie (?:oft|lange|hoch|groß|alt|teuer|schnell|weit|genau|wichtig|gut|zufrieden)|welche[mnrs]?|wen|wem|wann|warum|
      wieso|weshalb|wozu|wofür|womit|woran|worauf|wobei|wodurch|worin|wovon|inwiefern|inwieweit|woher|wohin)(?! immer )`),
    beginning(`(?:was|wie|wer|wo)(?! (?:ich|wir|sie|er|es|man|du|ihr|uns|mich|mir|das|der|die|den|gesagt|immer|auch|
      schon|soeben|oben|zum|bei|im|vereinbart|besprochen|versprochen|gewohnt|viel) )`),
    beginning(`(?:haben|sind|können|könnten|möchten|wollen|würden|dürfen|hätten|wären|kennen|hatten|waren|
      werden) (?:sie|ihr|ihre|wir nicht|denn)(?! (?:vielen|herzlichen|vertrauen|keine|bitte|so) )`),
    beginning(`(?:ist|war|wäre|gibt|passt|geht|läuft|hat|kann|könnte|klingt|reicht|stimmt|
      hilft) (?:das|es|ihnen|ihr|ihre|ihren|der|die|dies|dieser|denn)`),
    beginning('(?:(?:darf|soll|sollte) ich|(?:wollen|sollen|sollten) wir|(?:ist|sind|haben) ihnen)'),
  ],
  en: [
    beginning(String.raw`(?:(?:in|for|by|with|at|on|from|since) )?(?:what|who|where|why|when|
      how) (?:(?!${PRONOUN} )\S+ )?(?:is|are|was|were|do|does|did|can|could|would|will|should|have|has|had|might|must)`),
    beginning(`(?:(?:what|who|how|where) (?:s|re|about)|how (?:many|much|often|long|big|large|soon|important|well|far|
      old|satisfied|happy))`),
    beginning(String.raw`(?:which|whose|what) (?!${PRONOUN} )\S+ (?:\S+ )?(?:is|are|do|does|did|would|have|has|can|
      could|will)`),
    beginning(`(?:do|does|did|are|is|was|were|can|could|would|will|should|have|has|had|may|
      shall) (?:you|i|we|it|they|he|she|that|this|there|your|anyone|somebody|someone|now)`),
  ],
};

/** Requests for information, which count as questions. */
const INVITES: Record<KnownLanguage, RegExp> = {
  de: phrases(
    'mich interessier*|mich würde .. interessier*|würde mich interessier*|ich würde .. (?:wissen|erfahren|verstehen|' +
      'fragen)|ich möchte .. (?:wissen|erfahren|verstehen|fragen)|ich wüsste .. gern*|erzählen sie|beschreiben sie|' +
      'schildern sie|sagen sie mir|darf ich .. fragen|verraten sie',
  ),
  en: phrases(
    'tell me .. (?:about|what|how|why|who|when|where)|walk me through|talk me through|help me understand|' +
      'describe (?:your|the|how|to me)|i d (?:like|love) to (?:know|understand|hear|learn)|i m curious|i was wondering|' +
      'may i ask|can i ask|could i ask|share .. with me',
  ),
};

/**
 * Whether a sentence is a real question. The definition is our own. In all languages, a question mark at the end makes
 * a question. Speech-to-text often omits the mark, so a German or English sentence is also a question if it starts like
 * one or requests information. Exceptions: sentences in EMPTY, and German or English statements with a tag («…,
 * oder?»).
 *
 * @param words the words of `text`, as `spaced` returns them
 */
export function isQuestion(text: string, words: string, language: string): boolean {
  const isMarked = MARKED.test(text);
  if (EMPTY.has(words)) return false;
  if (language !== 'de' && language !== 'en') return isMarked;
  if (INVITES[language].test(words)) return true;
  const bare = words.replace(LEAD_IN, ' ');
  const startsAsQuestion = BEGINS[language].some((begins) => begins.test(words) || begins.test(bare));
  return startsAsQuestion || (isMarked && !endsWithTag(words));
}

/**
 * Whether a sentence ends with a tag, such as «…, oder?». `isQuestion` has already handled short questions that look
 * like a tag: «Right?» is in EMPTY, and «Warum nicht?» starts like a question.
 */
function endsWithTag(words: string): boolean {
  const end = words.slice(-TAG_CHARACTERS_MAX);
  const wholeWords = end.slice(Math.max(0, end.indexOf(' ')));
  const tag = TAG.exec(wholeWords);
  return tag !== null && tag.index + tag[0].length === wholeWords.length - 1;
}
