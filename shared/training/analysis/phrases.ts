/**
 * A pattern over spaced words (`words.ts`) from phrases separated by `|`: `*` stands for any rest of a word (or its
 * beginning), `_` for any one word, `..` for up to four. Bounded by construction: no part of it can repeat without end.
 */
export function phrases(list: string): RegExp {
  const alternatives = list.replaceAll('*', '\\S*').replaceAll(' .. ', ' (?:\\S+ ){0,4}?').replaceAll('_', '\\S+');
  return new RegExp(` (?:${alternatives})(?= )`, 'u');
}
