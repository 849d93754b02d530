/** Letters of other scripts that look like Latin ones, by what they look like. */
const LOOKALIKES: Record<string, string> = Object.fromEntries(
  Object.entries({
    a: 'аα',
    b: 'Ьвβ',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еєε',
    g: 'ɡ',
    h: 'һн',
    i: 'іıιɪ',
    j: 'ј',
    k: 'кκ',
    l: 'ӏⅼ|',
    m: 'м',
    n: 'ոη',
    o: 'оοσ०',
    p: 'рρ',
    q: 'ԛ',
    r: 'гᴦ',
    s: 'ѕ',
    t: 'тτ',
    u: 'υս',
    v: 'ѵν',
    w: 'ԝω',
    x: 'хχ',
    y: 'уγү',
    z: 'ᴢ',
  }).flatMap(([letter, alike]) => Array.from(alike, (character) => [character, letter])),
);
const LOOKALIKE = new RegExp(`[${Object.keys(LOOKALIKES).join('')}]`, 'gu');

const DIGIT_LETTERS: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' };
const AMID_LETTERS = /(?<=[a-z])[013457@$](?=[a-z013457@$])|(?<![a-z0-9@$])[14@$](?=[a-z])/g;
/** «i g n o r e», «1-0-0»: four single characters or more. */
const SPELT = /(?<![a-z0-9])[a-z0-9](?:[ .\-_*]{1,3}[a-z0-9](?![a-z0-9])){3,60}/g;

/** One sign that stands for a whole Arabic phrase: eighteen characters when it is taken apart. */
const PHRASE_SIGNS = /[\uFDFA\uFDFB]/g;

const MARKS = /\p{M}+/gu;
const INVISIBLE = /[\p{Cf}\p{M}\p{Cc}]/gu;

/**
 * A text as it reads, however it is written: small Latin letters without accents, invisible characters gone, letters of
 * other scripts and digits that stand for letters replaced, white space single. Words that are spelt letter by letter
 * are besides put together at the end.
 */
export function unmasked(text: string): { text: string; spelt: string } {
  const plain = text
    .replace(PHRASE_SIGNS, ' ')
    // Before the normalization, which sorts the marks of a letter in a time that is quadratic in their number.
    .replace(MARKS, '')
    .normalize('NFKD')
    .replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(LOOKALIKE, (letter) => LOOKALIKES[letter] ?? letter)
    .replace(AMID_LETTERS, (digit) => DIGIT_LETTERS[digit] ?? digit);
  const spelt = (plain.match(SPELT) ?? []).map((letters) => letters.replaceAll(/[^a-z0-9]/g, '')).join('');
  return { text: plain, spelt };
}
