/**
 * More marks on one letter than any language writes (UAX #15, Stream-Safe Text Format). Their order is sorted in a time
 * that grows with the square of their number: a body of 1 MB would take most of a minute.
 */
const ENDLESS_MARKS = /\p{M}{31}/u;

/** Human text: NFC and trimmed. Text with more than 30 marks in a row stays as it is composed. */
export const normalizeText = (text: string): string => (ENDLESS_MARKS.test(text) ? text : text.normalize('NFC')).trim();
