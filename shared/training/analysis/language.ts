import type { TranscriptTurn } from '../call.ts';
import { wordsOf } from './words.ts';

/** Languages whose questions and filler words are known. */
export type KnownLanguage = 'de' | 'en';

/** Frequent words by language. Some words are frequent in several languages. */
const FREQUENT_WORDS: Record<string, ReadonlySet<string>> = Object.fromEntries(
  Object.entries({
    de:
      'ab aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bitte da dabei dafür damit danach ' +
      'dann daran darauf darüber das dass davon dazu dein deine dem den denn der des dessen deshalb dich die dies diese ' +
      'diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einfach er es etwas euch für gar ' +
      'gegen gerade gern gerne gibt guten hab habe haben hat hatte hatten hier hätte hätten ich ihm ihn ihnen ihr ihre ihrem ' +
      'ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinen können könnte könnten mal man ' +
      'mehr mein meine meinem meinen mich mir mit muss müssen möchte möchten nach nein nicht noch nun nur ob oder ohne schon ' +
      'sehr sein seine seinem seinen seiner seit selbst sich sie sind so soll sollen sollte sondern um und uns unser unsere ' +
      'unserem unseren unserer unter viel vom von vor wann war waren warum was weil welche welchen welcher welches wenn wer ' +
      'werden wie wieder wieso will wir wird wo wofür wohl wollen womit würde würden zu zum zur zwischen über danke hallo',
    en:
      'a about after all also am an and any are as at be because been before being but by can could did do does doing don for ' +
      'from get give gives got had has have he hello her here him his how i if in into is it its just let like ll m may me ' +
      'more most much my no not now of on one only or our out over own please re s she should so some such t than thank ' +
      'thanks that the their them then there these they this those through to too up us ve very was we well were what when ' +
      'where whether which while who why will with would yes you your d hi yeah okay',
    fr: 'je vous nous est les des une avec pour dans que qui bonjour merci votre notre oui mais très et du au ce sont avez',
    es: 'el los las una con para por que es está buenos días gracias usted nuestro su sí pero muy y del más como hola tiene',
    it: 'il lo gli della con per che è una sono buongiorno grazie lei nostro suo ma molto e di non come ciao ha questo vorrei',
    pt: 'o os uma com para que é não você bom dia obrigado obrigada nosso seu mas muito e do da em são como olá tem',
    nl: 'het een ik en van met voor niet dat zijn goedemiddag dank onze uw maar zeer op aan wij jullie hallo heeft wordt hebben',
    pl: 'nie jest się w z na do że to jak dzień dobry dziękuję pan pani ale bardzo i dla czy ma proszę tak',
    tr: 've bir bu için ile çok merhaba teşekkür ederim evet ama nasıl ne var mı mi siz biz daha olarak',
    sv: 'och är det att jag en som på för med inte har vi hej tack men till av kan du ni',
  }).map(([language, words]) => [language, new Set(words.split(' '))]),
);

/** Whether a word is frequent in at least one language, and therefore says nothing about the subject of a sentence. */
export const isFunctionWord = (word: string): boolean => Object.values(FREQUENT_WORDS).some((words) => words.has(word));

/**
 * Each script with its most frequent language. The first script with at least `SCRIPT_SHARE` of the letters decides.
 * `byScript` also recognizes Ukrainian and Persian.
 */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 'ja'],
  [/\p{Script=Hangul}/gu, 'ko'],
  [/\p{Script=Han}/gu, 'zh'],
  [/\p{Script=Arabic}/gu, 'ar'],
  [/\p{Script=Hebrew}/gu, 'he'],
  [/\p{Script=Greek}/gu, 'el'],
  [/\p{Script=Thai}/gu, 'th'],
  [/\p{Script=Devanagari}/gu, 'hi'],
  [/\p{Script=Cyrillic}/gu, 'ru'],
];
/**
 * A text has a script if at least this share of its letters belongs to the script. The share is low, because Japanese
 * texts contain many Chinese characters.
 */
const SCRIPT_SHARE = 0.2;
/**
 * A text is in a language only if at least this share of its words is frequent in that language. The value is our own
 * choice.
 */
const FREQUENT_SHARE = 0.1;
const SAMPLE_CHARACTERS = 20_000;

/**
 * Returns the language of a call as ISO 639-1 code, or `und`. Reads the trainee's turns, or all turns if the trainee's
 * turns do not show the language. A script of `SCRIPTS` decides first. Otherwise, counts the frequent words of each
 * language in the text, and the highest count decides if it is at least `FREQUENT_SHARE` of the words. In a draw, the
 * language is unknown.
 */
export function languageOfCall(turns: readonly TranscriptTurn[]): string {
  const trainee = turns.filter(({ role }) => role === 'user');
  return languageOf(sampleOf(trainee)) ?? languageOf(sampleOf(turns)) ?? 'und';
}

function sampleOf(turns: readonly TranscriptTurn[]): string {
  let sample = '';
  for (const { message } of turns) {
    if (sample.length >= SAMPLE_CHARACTERS) break;
    sample += ` ${message.slice(0, SAMPLE_CHARACTERS - sample.length)}`;
  }
  return sample;
}

/** Returns the language of a text as ISO 639-1 code, or undefined. */
export function languageOf(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  return byScript(sample) ?? byWords(wordsOf(sample));
}

function byScript(text: string): string | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const found = SCRIPTS.find(([script]) => {
    const count = text.match(script)?.length ?? 0;
    return count > 0 && count >= letters * SCRIPT_SHARE;
  })?.[1];
  if (found === 'ru' && /[іїєґ]/i.test(text)) return 'uk';
  return found === 'ar' && /[پچژگ]/.test(text) ? 'fa' : found;
}

function byWords(words: readonly string[]): string | undefined {
  const [best, second] = Object.entries(FREQUENT_WORDS)
    .map(([language, known]) => ({ language, hits: words.filter((word) => known.has(word)).length }))
    .sort((a, b) => b.hits - a.hits);
  if (best === undefined || best.hits === 0 || best.hits === second?.hits) return undefined;
  return best.hits >= words.length * FREQUENT_SHARE ? best.language : undefined;
}
