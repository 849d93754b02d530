import type { TranscriptTurn } from '../call.ts';
import { FUNCTION_WORDS } from './function-words.ts';
import { wordsOf } from './words.ts';

/** Languages that the rules know words of. */
export type KnownLanguage = 'de' | 'en';

const SAMPLE_CHARACTERS = 20_000;

/** The frequent words of further languages, without those that are as frequent in another. */
const FURTHER: Record<string, ReadonlySet<string>> = Object.fromEntries(
  Object.entries({
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

/** Scripts that one language, or few, are written in. The first that most letters belong to counts. */
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
/** Japanese mixes Chinese characters in: a fifth of its letters are its own. */
const SCRIPT_SHARE = 0.2;

/** In a text of any length so many of its words are a language's most frequent ones; our own definition. */
const SHARE_MIN = 0.1;

/**
 * The language a call was held in, by ISO 639-1, or `und`: that of the trainee, else of both together. Known by scripts
 * and by the share of the languages' most frequent words, at least a tenth; a tie is `und`. Where two languages are
 * mixed, the one with more of its words counts.
 */
export function languageOfCall(turns: readonly TranscriptTurn[]): string {
  const said = (whose: readonly TranscriptTurn[]) => {
    let sample = '';
    for (const { message } of whose) {
      if (sample.length >= SAMPLE_CHARACTERS) break;
      sample += ` ${message.slice(0, SAMPLE_CHARACTERS - sample.length)}`;
    }
    return sample;
  };
  return languageOf(said(turns.filter(({ role }) => role === 'user'))) ?? languageOf(said(turns)) ?? 'und';
}

/** A text's language by ISO 639-1, or undefined. */
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
  const [best, second] = Object.entries({ ...FUNCTION_WORDS, ...FURTHER })
    .map(([language, known]) => ({ language, hits: words.filter((word) => known.has(word)).length }))
    .sort((a, b) => b.hits - a.hits);
  if (best === undefined || best.hits === 0 || best.hits === second?.hits) return undefined;
  return best.hits >= words.length * SHARE_MIN ? best.language : undefined;
}
