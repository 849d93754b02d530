/**
 * Characters that a terminal would interpret or hide: control characters, line and paragraph separators, marks of text
 * direction, and lone surrogates. Operators read texts of visitors, which may contain such characters.
 */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes invisible characters, including line breaks. */
export const printableLine = (text: string): string => text.replace(INVISIBLE, escaped);

/** Escapes invisible characters except line breaks. */
export const printable = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map(printableLine)
    .join('\n');

/**
 * Returns the JSON text in one line, with invisible characters escaped. The value stays the same: line breaks and tabs
 * occur only between tokens, and other invisible characters occur only in strings.
 */
export const printableJson = (json: string): string => json.replace(/[\n\r\t]/g, ' ').replace(INVISIBLE, escaped);
