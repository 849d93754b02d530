/**
 * Matches more combining marks on one letter than any language uses (UAX #15, Stream-Safe Text Format). Such text is
 * not normalized, because normalization sorts the marks in quadratic time: 1 MB of marks would take most of a minute.
 */
const EXCESSIVE_MARKS = /\p{M}{31}/u;

/** Normalizes text to NFC and trims it. Text with more than 30 combining marks in a row is only trimmed. */
export const normalizeText = (text: string): string =>
  (EXCESSIVE_MARKS.test(text) ? text : text.normalize('NFC')).trim();
