/**
 * What a terminal would obey or hide instead of showing: control characters, line and paragraph separators, marks that
 * turn the direction of text, half surrogates. Visitors write these texts, and operators read them.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text in one line that shows whatever is in it. */
export const printableLine = (text: string): string => text.replace(UNSEEN, escaped);

/** The same over several lines: those that the text itself has. */
export const printable = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map(printableLine)
    .join('\n');

/**
 * JSON text in one line, of the same value. Line breaks of a JSON text stand between its tokens, as strings hold none;
 * what is unseen stands within strings, where an escape means the same.
 */
export const printableJson = (json: string): string => json.replace(/[\n\r\t]/g, ' ').replace(UNSEEN, escaped);
