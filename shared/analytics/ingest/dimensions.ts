import { normalizeText } from '../../platform/normalize-text.ts';

/**
 * A free text that sessions are counted by, as it is stored and as filters are compared: NFC and trimmed, so that one
 * campaign has one spelling, and well-formed, since half a surrogate pair has no UTF-8.
 */
export const normalizeDimension = (text: string): string => normalizeText(text.toWellFormed());
