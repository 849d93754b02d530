/**
 * Characters that a terminal would obey or hide: control characters, line and paragraph separators, marks of text
 * direction, lone surrogates. Visitors write these texts, and operators read them.
 */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text in one line, with such characters escaped. */
export const printableLine = (text: string): string => text.replace(INVISIBLE, escaped);

/** The same, keeping the line breaks of the text. */
export const printable = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map(printableLine)
    .join('\n');

/**
 * JSON text in one line, with the same value: line breaks are only between tokens, and invisible characters only in
 * strings, where the escape means the same.
 */
export const printableJson = (json: string): string => json.replace(/[\n\r\t]/g, ' ').replace(INVISIBLE, escaped);
