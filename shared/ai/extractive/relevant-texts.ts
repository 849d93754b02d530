export type Language = 'de' | 'en';

/** Stop words, which also identify the language. */
const FUNCTION_WORDS: Record<Language, ReadonlySet<string>> = {
  de: new Set(
    [
      'aber als am an auch auf aus bei bin bis bitte brauche brauchen da damit das dass dem den denn der',
      'des dich die dies diese dieser doch dort du durch ein eine einem einen einer eines er es etwas euch',
      'euer für gibt habe haben hat hier ich ihr ihre im in ist ja kann kein keine können man mehr mein',
      'meine meinem meinen mich mir mit muss nach nicht noch nun nur ob oder ohne schon sehr sein sich sie',
      'sind so soll sollte über um und uns unser unter vom von vor wann war warum was wäre weil welche',
      'welcher wenn wer werden wie wieso wird wir wo wofür zu zum zur',
    ].flatMap((line) => line.split(' ')),
  ),
  en: new Set(
    [
      'a about all also am an and any are as at be but by can could did do does for from get had has have',
      'how i if in into is it its just me more much my need no not of on or our out please should so some',
      'such than that the their them then there these they this to too up us was we were what when where',
      'which who why will with without would you your',
    ].flatMap((line) => line.split(' ')),
  ),
};

const WORDS_MAX = 100;
const STEM_LETTERS = 5;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Counts the German and the English stop words in a text. Returns the language with more stop words; undefined if the
 * numbers are equal. Each word with an umlaut or ß adds one to the German number, so a stop word like “für” adds two.
 */
export function languageOf(text: string): Language | undefined {
  const words = wordsOf(text);
  const hits = (language: Language) => words.filter((word) => FUNCTION_WORDS[language].has(word)).length;
  const german = hits('de') + words.filter((word) => /[äöüß]/.test(word)).length;
  const english = hits('en');
  if (german === english) return undefined;
  return german > english ? 'de' : 'en';
}

/**
 * Returns the texts that match words of a question, the most relevant first. Equally relevant texts keep their order. A
 * word of the question weighs more if fewer texts contain it (inverse document frequency). A word of five or more
 * letters matches every word that contains its first five letters, so that inflections and compounds match.
 */
export function relevantTexts(question: string, texts: readonly string[], textsMax: number): string[] {
  const stems = stemsOf(question);
  const searchable = texts.map((text) => ` ${wordsOf(text).join(' ')} `);
  const weights = stems.map((stem) => {
    const found = searchable.filter((text) => text.includes(stem)).length;
    return found === 0 ? 0 : Math.log(1 + texts.length / found);
  });
  const scoreOf = (text: string) =>
    stems.reduce((score, stem, index) => (text.includes(stem) ? score + (weights[index] ?? 0) : score), 0);
  return texts
    .map((text, index) => ({ text, score: scoreOf(searchable[index] ?? '') }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, textsMax)
    .map(({ text }) => text);
}

/** Words with fewer than five letters match only whole words, so that “art” does not match “start”. */
function stemsOf(question: string): string[] {
  const stems = new Set<string>();
  for (const word of wordsOf(question)) {
    if (stems.size >= WORDS_MAX) break;
    if (word.length < 2 || FUNCTION_WORDS.de.has(word) || FUNCTION_WORDS.en.has(word)) continue;
    stems.add(word.length < STEM_LETTERS ? ` ${word} ` : word.slice(0, STEM_LETTERS));
  }
  return [...stems];
}
