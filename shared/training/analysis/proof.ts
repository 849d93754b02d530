import { FUNCTION_WORDS } from './function-words.ts';
import { phrases } from './phrases.ts';

/** Verbs that only tell what one does; to thank, to apologise, to offer and to propose is done by saying so. */
const REPORTED = phrases(
  'ask|asking|find|finding|learn|learning|explore|exploring|identify|identifying|clarify|clarifying|discover|discovering|determine|determining|uncover|uncovering|qualify|qualifying|explain|explaining|describe|describing|name|naming|mention|mentioning|state|stating|present|presenting|quantify|quantifying|calculate|calculating|agree|agreeing|handle|handling|address|addressing|answer|answering|establish|establishing|build|building|show|showing|tell|telling|highlight|highlighting|discuss|discussing|cover|covering|negotiate|negotiating|close|closing|schedule|scheduling|arrange|arranging|set|setting|secure|securing|frage|fragen|erfrage|finde|ermittle|kläre|erkunde|erforsche|hinterfrage|erkläre|erläutere|beschreibe|nenne|erwähne|präsentiere|stelle|quantifiziere|beziffere|rechne|berechne|vereinbare|behandle|beantworte|zeige|begründe|bespreche|verhandle|schließe|lege|gehe|informiere|weise|entkräfte',
);
const FIRST_PERSON = phrases('i|ich|we|wir');
/** Who wishes to do something says why it is spoken of now. */
const WISH = phrases('möchte*|would|like|want|wollen|will|let|darf|may');
const SELF_TALK = new Set(
  'now then next today here hereby first again moment jetzt nun dann heute hier hiermit zunächst zuerst nochmal sofort gleich customer kunde kunden kundin client'.split(
    ' ',
  ),
);

/**
 * Whether a statement only says, in the first person, that its speaker does what the label asks for («I am quantifying
 * the benefit in money»), with no word of its own: what is announced so is not done.
 *
 * @param isNamed whether a word is one of the label's, in any form
 */
export function onlyReports(words: string, isNamed: (word: string) => boolean): boolean {
  if (!FIRST_PERSON.test(words) || !REPORTED.test(words) || WISH.test(words)) return false;
  return words
    .trim()
    .split(' ')
    .every(
      (word) =>
        SELF_TALK.has(word) ||
        FUNCTION_WORDS.de.has(word) ||
        FUNCTION_WORDS.en.has(word) ||
        REPORTED.test(` ${word} `) ||
        isNamed(word),
    );
}

/** So long at most is a sentence that says of a thing that there is none; a longer one says more of it. */
const NONE_WORDS_MAX = 9;
const SAYING =
  'mention|talk|talking|speak|speaking|discuss|explain|apologi[sz]e|apologi[sz]ing|name|tell|say|ask|asking|go into|propose|suggest|recommend|quantify|summari[sz]e|agree|cover|bring up|thank|greet|introduce';
const GERMAN_SAYING =
  'erwähnen|reden|sprechen|erklären|erläutern|entschuldigen|nennen|anbieten|fragen|nachfragen|sagen|eingehen|vereinbaren|zusammenfassen|vorschlagen|empfehlen|ansprechen|besprechen|beziffern|vorrechnen|bedanken|begrüßen|vorstellen';
const REFUSES = phrases(
  [
    `(?:i|we) (?:\\S+ )?(?:(?:will|do|can|would|could|shall|am|are|m|re|did) not|cannot|(?:won|don|can|wouldn|couldn|didn|aren) t) (?:_ )?(?:going to |want to |wish to |like to |need to |have to )?(?:${SAYING})`,
    `(?:i|we) (?:refuse to|never|rather not|prefer not to|would rather not) (?:${SAYING})`,
    `(?:ich|wir) .. (?:nicht|kein*|nie|niemals) (?:\\S+ ){0,2}?(?:${GERMAN_SAYING})`,
    '(?:erwähne|rede|reden|spreche|sprechen|erkläre|nenne|sage|entschuldige|frage|empfehle) (?:ich|wir|mich) (?:\\S+ ){0,3}?(?:nicht|nie)(?! (?:nur|lange|viel|zuletzt))',
    '(?:ich|wir) (?:erwähne|rede|reden|spreche|sprechen|erkläre|nenne|sage|entschuldige|frage|empfehle) (?:\\S+ ){0,4}?(?:nicht|nie)(?! (?:nur|lange|viel|zuletzt))',
  ].join('|'),
);
const NONE = phrases(
  [
    '(?:there (?:is|s|are)|we have|we ve got|i have|we offer|we give) no(?! (?:problem|obligation|risk|hidden|extra|additional|rush|pressure|need|doubt|question|hurry|catch|fee|minimum|strings|longer|better|commitment|cancel*|way))',
    '(?:there (?:is|are|isn|aren)|we do|we don|i don) (?:not|t) (?:have |offer |give |provide )?(?:a|an|any)',
    '(?:gibt es|haben wir|habe ich|bieten wir) (?:\\S+ ){0,3}?(?:nicht|kein*)(?! (?:problem|risiko|nur|mehr|bessere|haken|zusätz*|versteckt*|mindest*|kündig*|grund|zweifel|eile|verpflichtung))',
    '(?:wir haben|es gibt|ich habe|wir bieten) (?:\\S+ ){0,2}?(?:keine?|keinen|keinerlei|nicht)(?! (?:problem|risiko|nur|mehr|bessere|haken|zusätz|versteckt|mindest|kündig|grund|zweifel|eile|verpflichtung))',
  ].join('|'),
);
const ALL_THE_SAME = phrases(
  'but|sondern|aber|only|nur|just|mehr|longer|again|wieder|until|before|bevor|bis|ohne|without',
);

/**
 * Whether a statement says that it does not speak of a thing («I will not mention the warranty»), or that there is none.
 * One with a figure in it, or a «but», says something all the same. Our own patterns.
 */
export function isDenied(words: string, wordCount: number): boolean {
  if (/\d/.test(words) || ALL_THE_SAME.test(words)) return false;
  return REFUSES.test(words) || (wordCount <= NONE_WORDS_MAX && NONE.test(words));
}
